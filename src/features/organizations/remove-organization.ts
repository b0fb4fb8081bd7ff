import { fail } from "../../core/errors.ts";
import type { Store } from "../../store/store.ts";
import { listClosedRooms, removePage } from "../rooms/removal-queries.ts";
import { findOrganization } from "./queries.ts";
import { closeOrganization, removeEvents, removeRest } from "./removal-queries.ts";

/**
 * Removes an organization with everything in it, for ever, page by page. From the first page on nobody gets in; one that was stopped
 * half-way is gone on with by calling it again.
 *
 * @throws HubError `organization_not_found`
 */
export async function removeOrganization(store: Store, organization: string, by: string): Promise<void> {
  const row = await store.read((tx) => findOrganization(tx, organization));
  if (!row) throw fail("organization_not_found", { organization });
  await store.write(organization, (tx) => closeOrganization(tx, organization, by));
  const rooms = (await store.read(listClosedRooms)).filter((room) => room.organization === organization);
  for (const room of rooms) while (await store.write(organization, (tx) => removePage(tx, room)));
  while (await store.write(organization, (tx) => removeEvents(tx, organization)));
  await store.write(organization, (tx) => removeRest(tx, organization));
}
