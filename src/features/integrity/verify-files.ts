import { createHash } from "node:crypto";
import type { Store } from "../../store/store.ts";
import { sha256Of } from "../files/content.ts";
import { findPart } from "../files/queries.ts";
import { type KeptFile, listKeptFiles, type RoomPlace, type ToldFact } from "./queries.ts";
import { type Findings, FROM_THE_FIRST, PAGE, type Walk } from "./walk.ts";

/** Every file that is kept: its bytes, part by part, and what the log tells of it. */
export async function* verifyFiles({ store, organization, looked, told }: Walk): Findings {
  for (let after = FROM_THE_FIRST; ;) {
    const rows = await store.read((tx) => listKeptFiles(tx, organization, after, PAGE));
    for (const row of rows) {
      looked.files += 1;
      const added = await told.find("file_added", row.room, row.number);
      const problems = [...problemsOfRow(row, added), ...(await problemsOfBytes(store, organization, row))];
      if (problems.length > 0 && !(await isThere(store, organization, row))) continue;
      for (const problem of problems) yield [`f${row.number} of room ${row.room}`, problem];
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last;
  }
}

function problemsOfRow({ author, at, sha256 }: KeptFile, told: ToldFact | undefined): string[] {
  if (told === undefined) return ["the log has no word of it"];
  const checks: readonly (readonly [boolean, string])[] = [
    [told.actor === author, "it has another author than the log tells"],
    [told.at === at, "it has another time than the log tells"],
    [told.content_hash === sha256, "its digest is not the one that the log tells"],
  ];
  return checks.filter(([holds]) => !holds).map(([, problem]) => problem);
}

/** A part at a time, so that no file is in memory as a whole. */
async function problemsOfBytes(store: Store, organization: string, file: KeptFile): Promise<string[]> {
  const { room, number, size, sha256 } = file;
  const digest = createHash("sha256");
  let bytes = 0;
  for (let part = 0; ; part++) {
    const found = await store.read((tx) => findPart(tx, { organization, room, file: number, part }));
    if (!found) break;
    if (sha256Of(found.bytes) !== found.sha256) return [`part ${part} of its bytes is not what was put`];
    digest.update(found.bytes);
    bytes += found.bytes.length;
  }
  if (bytes !== size) return [`it has ${bytes} bytes, not ${size}`];
  return digest.digest("hex") === sha256 ? [] : ["its bytes are not what was put"];
}

/** Whether it was not deleted while it was looked at. */
async function isThere(store: Store, organization: string, { room, number }: RoomPlace): Promise<boolean> {
  const [next] = await store.read((tx) => listKeptFiles(tx, organization, { room, number: number - 1 }, 1));
  return next?.room === room && next.number === number;
}
