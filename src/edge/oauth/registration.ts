import { randomBytes } from "node:crypto";
import type { OAuthRecords } from "../../access/oauth/records.ts";
import { openAddressLimit } from "../../access/throttle.ts";
import { type Ask, json, type Reply } from "../exchange.ts";
import { readJsonBody } from "../json-body.ts";
import { normaliseClient } from "./clients.ts";

/** Registrations of one address: an office behind one address signs in together, and clients register each time. */
const REGISTRATIONS = { limit: 60, windowSeconds: 600 };

/** How long (s) a client is kept that nobody signed in with: as long as a sign-in could take, and far longer. */
export const UNUSED_SECONDS = 86_400;

const LARGEST_REGISTRATION = 32_768;

/**
 * Lets clients make themselves known. They get a name and no secret.
 *
 * @throws ClientProblem, HubError `too_many_from_address` and those of `readJsonBody`.
 * @source RFC 7591, "OAuth 2.0 Dynamic Client Registration".
 */
export function openRegistration(records: OAuthRecords): (ask: Ask) => Promise<Reply> {
  const admit = openAddressLimit(REGISTRATIONS);
  return async ({ address, incoming }) => {
    await admit(address);
    const asked = await readJsonBody(incoming, LARGEST_REGISTRATION);
    const id = randomBytes(24).toString("base64url");
    const client = normaliseClient(asked, id, Math.floor(Date.now() / 1_000));
    await records.keep("Client", id, { ...client }, UNUSED_SECONDS);
    return json(201, client);
  };
}
