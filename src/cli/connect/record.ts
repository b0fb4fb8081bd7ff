import { isDeepStrictEqual } from "node:util";
import type { ClientName } from "../../agent/adapters/adapters.ts";
import { applyEdit, type Done, type Edit, undoEdit } from "./edits.ts";
import type { Files } from "./files.ts";
import type { Places } from "./places.ts";

/** What was changed on this machine, by what it was changed for: a client, or a client in a project. */
export type ChangeRecord = Readonly<Record<string, readonly Done[]>>;

/** Under which name the changes for a client are kept. */
export function slotOf(client: ClientName, { project }: Places): string {
  return project === undefined ? client : `${client} in ${project}`;
}

/** @throws SyntaxError for a file that is none of ours. */
export function readRecord(files: Files, file: string): ChangeRecord {
  return JSON.parse(files.read(file) ?? "{}") as ChangeRecord; // written below
}

export function writeRecord(files: Files, file: string, record: ChangeRecord) {
  const kept = Object.fromEntries(Object.entries(record).filter(([, done]) => done.length > 0));
  const text = Object.keys(kept).length === 0 ? undefined : `${JSON.stringify(kept, null, 2)}\n`;
  files.put(file, text, true);
}

/**
 * Brings the files to what the plan says: what was done for it before and is not in it any more is taken back.
 *
 * @returns what is done now, and the edits that somebody's hand had made before.
 * @throws EditProblem
 */
export function applyPlan(files: Files, plan: readonly Edit[], earlier: readonly Done[]) {
  const left = new Set(earlier);
  const done: Done[] = [];
  const byHand: Edit[] = [];
  for (const edit of plan) {
    const before = earlierOf(edit, left);
    if (before) left.delete(before);
    const now = applyEdit(files, edit, before);
    if (now) done.push(now);
    else byHand.push(edit);
  }
  for (const stale of left) undoEdit(files, stale);
  return { done: done.map((one) => heir(one, left)), byHand };
}

/** What one edit had made on its way, or the file itself, is left to those that stay: the last of them takes it away. */
function heir(done: Done, gone: ReadonlySet<Done>): Done {
  let { made, depth = 0 } = done;
  for (const one of gone) {
    if (one.file !== done.file) continue;
    made ??= one.made;
    const shared = (one.depth ?? 0) + 1;
    if (isDeepStrictEqual(pathOf(one).slice(0, shared), pathOf(done).slice(0, shared)))
      depth = Math.min(depth, one.depth ?? 0);
  }
  return { ...done, ...(done.depth !== undefined && { depth }), ...(made && { made }) };
}

/** The edit of the last time that this one replaces: the same place, and in a list the same entry or else the next one. */
function earlierOf(edit: Edit, left: ReadonlySet<Done>): Done | undefined {
  const sameSlot = [...left].filter(
    (one) => one.kind === edit.kind && one.file === edit.file && isDeepStrictEqual(pathOf(one), pathOf(edit)),
  );
  if (edit.kind !== "add") return sameSlot[0];
  const same = sameSlot.find((one) => one.kind === "add" && isDeepStrictEqual(one.value, edit.value));
  return same ?? (edit.like === undefined ? undefined : sameSlot[0]);
}

function pathOf(edit: Edit): readonly string[] {
  return edit.kind === "set" || edit.kind === "add" ? edit.path : [];
}

/** Takes back what was done, the last first. @returns what was not there any more. */
export function undoAll(files: Files, done: readonly Done[]): Done[] {
  return done.toReversed().filter((one) => !undoEdit(files, one));
}
