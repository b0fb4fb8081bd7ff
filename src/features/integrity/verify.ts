import { hash } from "node:crypto";
import { hashOfEvent, readHead } from "../../core/event-log.ts";
import type { Store } from "../../store/store.ts";
import { findAnswer, findToldDigest } from "../approval/queries.ts";
import { problemsOf } from "../approval/verify-answer.ts";
import { listOrganizations } from "../organizations/queries.ts";
import { problemsOfProof } from "../passkeys/check-proof.ts";
import { listQuestions, listStored, listTold, type StoredRow, type ToldFact, type ToldMessage } from "./queries.ts";
import { openTold } from "./told.ts";
import { verifyFiles } from "./verify-files.ts";
import { type Findings, FROM_THE_FIRST, type Looked, PAGE, type Walk } from "./walk.ts";

/** Something that is not what was stored. */
export interface Problem {
  readonly organization: string;
  /** `event 42`, `m340 of room 3`, `q5`. */
  readonly what: string;
  readonly problem: string;
}

/**
 * Recomputes every digest there is: each event's, and by them messages, questions, answers with their approvals, and files. Others
 * may write meanwhile: each page is read in one moment. What was pruned or taken back keeps its place in the log and is
 * accepted there; nothing of it can be recomputed.
 *
 * @param looked  is counted up on the way.
 */
export async function* verifyStore(store: Store, looked: Looked): AsyncGenerator<Problem> {
  for (const { id } of await store.read(listOrganizations)) {
    looked.organizations += 1;
    const walk: Walk = { store, organization: id, looked, told: openTold(store, id) };
    // The log first: by what it tells the others are checked.
    for (const check of [verifyLog, verifyMessages, verifyQuestions, verifyFiles])
      for await (const [what, problem] of check(walk)) yield { organization: id, what, problem };
  }
}

async function* verifyLog({ store, organization, looked, told }: Walk): Findings {
  const files = openFileLedger();
  for (let last = 0, after = FROM_THE_FIRST.number; ;) {
    const { rows, head, now } = await store.read(async (tx) => ({
      rows: await listStored(tx, organization, after, PAGE),
      head: await readHead(tx, organization),
      now: tx.now,
    }));
    for (const row of rows) {
      looked.events += 1;
      if (row.position !== last + 1) yield [`event ${last + 1}`, missing(last + 1, row.position - 1)];
      last = after = row.position;
      files.take(row, now);
      told.take(row);
      for (const problem of problemsOfEvent(row)) yield [`event ${row.position}`, problem];
    }
    if (rows.length === PAGE) continue;
    if (head.position > last) yield [`event ${last + 1}`, missing(last + 1, head.position)];
    if (head.position < last) yield [`event ${last}`, "is beyond the log's own last position"];
    for (const position of files.lost()) yield [`event ${position}`, "tells of a file that is missing"];
    return;
  }
}

/** Which files were added, are not there, and were not deleted either; of one that has expired nothing is left. */
function openFileLedger() {
  const lost = new Map<string, number>();
  return {
    take({ kind, room, file, detail, position, pruned_at, room_there, file_there }: StoredRow, now: number) {
      if (pruned_at !== null || room_there === null) return;
      if (kind === "file_deleted") lost.delete(`${room} ${file}`);
      if (kind !== "file_added" || file_there !== null) return;
      // A long name leaves no room for when it expires; then nothing can be said.
      const [, expires] = / B\)(?: expires (\S+))?$/.exec(detail) ?? [undefined, "1970"];
      if (expires === undefined || Date.parse(expires) > now) lost.set(`${room} ${file}`, position);
    },
    lost: () => lost.values(),
  };
}

function missing(from: number, to: number): string {
  return from === to ? "is missing" : `is missing, as are all to ${to}`;
}

function problemsOfEvent(row: StoredRow): string[] {
  const { kind, hash: stored, pruned_at, redacted_at, room_there, message_there, question_there } = row;
  if (pruned_at !== null) return problemsOfPruned(row);
  // What its digest stood for is gone; that the message was taken back is checked with the message.
  if (redacted_at !== null && kind !== "message") return ["is redacted and tells of no message"];
  return [
    ...(redacted_at === null && hashOfEvent(row) !== stored ? ["is not what was written"] : []),
    ...(kind === "message" && room_there !== null && message_there === null
      ? ["tells of a message that is missing"]
      : []),
    ...(kind === "question_asked" && question_there === null ? ["tells of a question that is missing"] : []),
  ];
}

/** Of what was pruned a place and a digest stay; acts of administration, which have an address, stay whole. */
function problemsOfPruned(row: StoredRow): string[] {
  const { position, room, at, kind, actor, detail, concerns, hash: stored, pruned_to } = row;
  const numbers = [row.task, row.message, row.file, row.question, row.credential, row.content_hash];
  const isEmpty = at === 0 && [kind, actor, detail, concerns].every((text: string) => text === "");
  const isStub = isEmpty && numbers.every((value) => value === null) && /^[0-9a-f]{64}$/.test(stored);
  const isWhole = row.address !== null && hashOfEvent(row) === stored;
  return [
    ...(isStub || isWhole ? [] : ["is pruned, and is not what pruning leaves"]),
    ...(room === null || (pruned_to !== null && position > pruned_to) ? ["is pruned where its room is not"] : []),
  ];
}

async function* verifyMessages({ store, organization, looked, told }: Walk): Findings {
  for (let after = FROM_THE_FIRST; ;) {
    const rows = await store.read((tx) => listTold(tx, organization, after, PAGE));
    for (const row of rows) {
      looked.messages += 1;
      const retraction = isTaken(row) ? await told.find("message_retracted", row.room, row.number) : undefined;
      for (const problem of problemsOfMessage(row, retraction)) yield [`m${row.number} of room ${row.room}`, problem];
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last;
  }
}

function isTaken({ retracted_at, retracted_by, redacted_at }: ToldMessage): boolean {
  return retracted_at !== null || retracted_by !== null || redacted_at !== null;
}

function problemsOfMessage(row: ToldMessage, retraction: ToldFact | undefined): string[] {
  const { author, at, body, event_actor, event_at, event_hash } = row;
  if (event_at === null) return ["the log has no word of it"];
  const taken = isTaken(row);
  const checks: readonly (readonly [boolean, string])[] = [
    [event_actor === author, "it has another author than the log tells"],
    [event_at === at, "it has another time than the log tells"],
    [taken ? body === "" : event_hash === hash("sha256", body, "hex"), "its text is not what was posted"],
    [!taken || isTakenAsTold(row, retraction), "that it was taken back is not what the log tells"],
    [isInThread(row), "its thread is not that of what it answers"],
    [row.number <= row.last_message, "its number was not given by its room"],
  ];
  return checks.filter(([holds]) => !holds).map(([, problem]) => problem);
}

function isTakenAsTold({ retracted_at, retracted_by, redacted_at }: ToldMessage, told: ToldFact | undefined): boolean {
  return told !== undefined && told.actor === retracted_by && told.at === retracted_at && redacted_at === retracted_at;
}

/** What it answers may have been pruned, and then what its thread began with was, too. */
function isInThread({ number, reply_to, thread, parent_thread, root_there }: ToldMessage): boolean {
  if (reply_to === null) return thread === number || (thread < number && root_there === null);
  return reply_to < number && thread === parent_thread;
}

async function* verifyQuestions({ store, organization, looked, told }: Walk): Findings {
  for (let after = FROM_THE_FIRST.number; ;) {
    const rows = await store.read((tx) => listQuestions(tx, organization, after, PAGE));
    for (const { number, question, state, answer } of rows) {
      after = number;
      looked.questions += 1;
      const asked = await told.find("question_asked", null, number);
      if (asked?.content_hash !== hash("sha256", question, "hex"))
        yield [`q${number}`, "its text is not what was asked"];
      if ((state === "answered") !== (answer !== null))
        yield [`q${number}`, `it is ${state}, and has ${answer === null ? "no" : "an"} answer`];
      if (answer === null) continue;
      looked.answers += 1;
      const answered = await told.find("question_answered", null, number);
      for (const problem of await problemsOfAnswer(store, organization, number, answered?.content_hash))
        yield [`the answer to q${number}`, problem];
    }
    if (rows.length < PAGE) return;
  }
}

/**
 * What does not fit together in an answer, its approval and its signature.
 *
 * @param told  the digest that the log keeps of it.
 */
async function problemsOfAnswer(
  store: Store,
  organization: string,
  number: number,
  told: string | null | undefined,
): Promise<string[]> {
  const row = await store.read((tx) => findAnswer(tx, organization, number));
  if (!row) return ["it has no approval"];
  return [...problemsOf(row, told), ...(await problemsOfProof((work) => store.read(work), row))];
}

/** The same for one answer, whose word in the log is looked for; see `verify answer`. */
export async function verifyAnswer(store: Store, organization: string, number: number): Promise<string[]> {
  const told = await store.read((tx) => findToldDigest(tx, organization, number));
  return problemsOfAnswer(store, organization, number, told);
}
