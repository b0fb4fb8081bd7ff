import { fail } from "../../core/errors.ts";
import { appendEvents, type Author, readHead } from "../../core/event-log.ts";
import type { Store } from "../../store/store.ts";
import { bindAnew, listAnswered } from "./answer-queries.ts";
import {
  beginErasure,
  endErasure,
  type Erasure,
  listStretches,
  RENAMED_TABLES,
  renameIn,
  renameInMessages,
  renameInReasons,
} from "./erasure-queries.ts";
import { EVENTS_PAGE, renameInEvents } from "./event-queries.ts";

/**
 * Takes a deactivated person's name out of everything, page by page: what it wrote stays, as a former member's. What others wrote stays as
 * they wrote it. One that was stopped half-way is gone on with by calling it again.
 *
 * @returns the handle that stands for it now.
 * @throws HubError `person_not_found` when there is none of that name that was deactivated.
 */
export async function erasePerson(store: Store, organization: string, handle: string, by: Author): Promise<string> {
  const erasure = await store.write(organization, (tx) => beginErasure(tx, organization, handle));
  if (!erasure) throw fail("person_not_found", { user_id: handle });
  for (const table of RENAMED_TABLES) await store.write(organization, (tx) => renameIn(tx, erasure, table));
  await store.write(organization, (tx) => renameInReasons(tx, erasure));
  for (const stretch of await store.read((tx) => listStretches(tx, organization)))
    await store.write(organization, (tx) => renameInMessages(tx, erasure, stretch));
  await renameInLog(store, erasure);
  await bindAnswersAnew(store, erasure);
  await store.write(organization, async (tx) => {
    await endErasure(tx, erasure);
    appendEvents(tx, organization, by, [{ kind: "member_erased", detail: erasure.former, concerns: [erasure.former] }]);
  });
  return erasure.former;
}

async function renameInLog(store: Store, erasure: Erasure): Promise<void> {
  const { position } = await store.read((tx) => readHead(tx, erasure.organization));
  for (let from = 1; from <= position; from += EVENTS_PAGE)
    await store.write(erasure.organization, (tx) => renameInEvents(tx, erasure, from));
}

async function bindAnswersAnew(store: Store, erasure: Erasure): Promise<void> {
  for (let after = 0; ;) {
    const numbers = await store.read((tx) => listAnswered(tx, erasure, after));
    const last = numbers.at(-1);
    if (last === undefined) return;
    await store.write(erasure.organization, async (tx) => {
      for (const number of numbers) await bindAnew(tx, erasure, number);
    });
    after = last;
  }
}
