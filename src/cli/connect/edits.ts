import { isDeepStrictEqual } from "node:util";
import type { Files } from "./files.ts";
import { appendIn, JsonTextError, nodeAt, parseJsonText, removeIn, setIn } from "./json-text.ts";

interface InFile {
  readonly file: string;
  /** The file holds a secret from now on. */
  readonly secret?: true;
}
/** A value at a path of a JSON file. */
interface SetEdit extends InFile {
  readonly kind: "set";
  readonly path: readonly string[];
  readonly value: unknown;
}
/** One more value in a list of a JSON file. */
interface AddEdit extends InFile {
  readonly kind: "add";
  readonly path: readonly string[];
  readonly value: unknown;
  /** An entry that holds this was made by hand for the same, and a second one would do it twice. */
  readonly like?: string;
}
/** Lines at the end of a file that is no JSON, between marks of ours. */
interface BlockEdit extends InFile {
  readonly kind: "block";
  readonly text: string;
  /** A line that says the same by hand. */
  readonly like: string;
}
/** A whole file of ours. */
interface FileEdit extends InFile {
  readonly kind: "file";
  readonly text: string;
}
export type Edit = SetEdit | AddEdit | BlockEdit | FileEdit;

/** An edit that was done, with what takes it back. */
export type Done = Edit & {
  /** There was no such file. */
  readonly made?: true;
  /** How many steps of the path were there before. */
  readonly depth?: number;
  /** What stood at the path before. */
  readonly before?: { readonly value: unknown };
  /** The file had no end of line at its end. */
  readonly glued?: true;
};

/** What cannot be done, for whoever reads it. */
export class EditProblem extends Error {}

/**
 * Does an edit in the files.
 *
 * @param earlier  the same of the last time, which this one replaces.
 * @returns undefined when it says already, by somebody else's hand, what the edit would say.
 * @throws EditProblem for a file that is not what its client would read.
 */
export function applyEdit(files: Files, edit: Edit, earlier: Done | undefined): Done | undefined {
  return naming(edit.file, () => {
    const text = files.read(edit.file);
    const made = earlier ? earlier.made : text === undefined ? (true as const) : undefined;
    const done = (more: Partial<Done> = {}): Done => ({ ...edit, ...more, ...(made && { made }) }) as Done; // the edit's own kind
    if (edit.kind === "file") {
      files.put(edit.file, edit.text, edit.secret);
      return done();
    }
    if (edit.kind === "block") return applyBlock(files, edit, text ?? "", earlier, done);
    return edit.kind === "set"
      ? applySet(files, edit, text ?? EMPTY, earlier, done)
      : applyAdd(files, edit, text ?? EMPTY, earlier, done);
  });
}

const EMPTY = "{}\n";

type MakeDone = (more?: Partial<Done>) => Done;

function applySet(files: Files, edit: SetEdit, text: string, earlier: Done | undefined, done: MakeDone) {
  const { file, path, value, secret } = edit;
  const found = nodeAt(parseJsonText(text), path);
  if (found && isDeepStrictEqual(found.value, value)) {
    files.put(file, text, secret);
    return earlier && done({ ...(earlier.before && { before: earlier.before }), depth: earlier.depth ?? 0 });
  }
  files.put(file, setIn(text, path, value), secret);
  if (earlier) return done({ ...(earlier.before && { before: earlier.before }), depth: earlier.depth ?? 0 });
  return done({ depth: depthOf(text, path), ...(found && { before: { value: found.value } }) });
}

function applyAdd(files: Files, edit: AddEdit, text: string, earlier: Done | undefined, done: MakeDone) {
  const { file, path, value, like } = edit;
  const list = listAt(text, path);
  const again = () => done({ depth: earlier?.depth ?? depthOf(text, path) });
  if (list.some((one) => isDeepStrictEqual(one, value))) return earlier && again();
  const stale = earlier?.kind === "add" ? list.findIndex((one) => isDeepStrictEqual(one, earlier.value)) : -1;
  if (stale >= 0) {
    const node = nodeAt(parseJsonText(text), [...path, stale]);
    if (!node) throw new JsonTextError(`${path.join(".")} is no list`);
    // In its own place: entries are run in their order.
    files.put(file, appendIn(removeIn(text, [...path, stale]), path, value), edit.secret);
    return again();
  }
  if (like !== undefined && list.some((one) => JSON.stringify(one).includes(like))) return undefined;
  files.put(file, appendIn(text, path, value), edit.secret);
  return again();
}

const BEGIN = "# crewroom: made by connect, taken out by connect --undo";
const END = "# crewroom: end";

function blockOf(own: string): string {
  return `${BEGIN}\n${own}\n${END}\n`;
}

function applyBlock(files: Files, edit: BlockEdit, text: string, earlier: Done | undefined, done: MakeDone) {
  const block = blockOf(edit.text);
  if (text.includes(block) || (earlier && withoutBlock(text, edit.text) !== undefined)) {
    files.put(edit.file, text, edit.secret);
    return done(earlier?.glued && { glued: true });
  }
  const left = earlier?.kind === "block" ? withoutBlock(text, earlier.text) : undefined;
  if (left === undefined && text.split("\n").some((line) => line.trim() === edit.like)) return undefined;
  const rest = left ?? text;
  const glued = rest !== "" && !rest.endsWith("\n");
  files.put(edit.file, `${rest}${glued ? "\n" : ""}${block}`, edit.secret);
  return done(glued || earlier?.glued ? { glued: true } : {});
}

/**
 * The text without our lines, whether they stand as we wrote them or as their client wrote them anew: Codex puts new tables before the
 * last mark, loses the first one and spaces lists otherwise. Undefined when they are not there, or when what follows belongs to their table.
 */
function withoutBlock(text: string, own: string): string | undefined {
  const lines = text.split("\n");
  const wanted = own.split("\n").map(squeeze);
  const at = lines.findIndex((_, from) => wanted.every((line, index) => squeeze(lines[from + index] ?? "") === line));
  if (at < 0) return undefined;
  const next = lines.slice(at + wanted.length).find((line) => !/^\s*(#.*)?$/.test(line));
  if (next !== undefined && !/^\s*\[/.test(next)) return undefined;
  if (text.includes(blockOf(own))) return text.replace(blockOf(own), () => "");
  return lines
    .toSpliced(at, wanted.length)
    .filter((line) => line !== BEGIN && line !== END)
    .join("\n");
}

function squeeze(line: string): string {
  return line.replace(/\s+/g, "");
}

/**
 * Takes an edit back. What somebody has changed since stays as it is.
 *
 * @returns whether it was still there.
 * @throws EditProblem as `applyEdit`.
 */
export function undoEdit(files: Files, done: Done): boolean {
  return naming(done.file, () => {
    const text = files.read(done.file);
    if (text === undefined) return false;
    const left = withoutEdit(text, done);
    if (left === undefined) return false;
    const isEmpty = left.trim() === "" || left.trim() === "{}";
    files.put(done.file, done.kind === "file" || (done.made && isEmpty) ? undefined : left);
    return true;
  });
}

/** The text without what was done to it; undefined when that is not there any more. */
function withoutEdit(text: string, done: Done): string | undefined {
  if (done.kind === "file") return text === done.text ? "" : undefined;
  if (done.kind === "block") {
    const left = withoutBlock(text, done.text);
    return done.glued && left?.endsWith("\n") ? left.slice(0, -1) : left;
  }
  const { path, value, depth = 0 } = done;
  if (done.kind === "set") {
    const found = nodeAt(parseJsonText(text), path);
    if (!found || !isDeepStrictEqual(found.value, value)) return undefined;
    return done.before ? setIn(text, path, done.before.value) : withoutEmpty(removeIn(text, path), path, depth);
  }
  const at = listAt(text, path).findIndex((one) => isDeepStrictEqual(one, value));
  return at < 0 ? undefined : withoutEmpty(removeIn(text, [...path, at]), path, depth);
}

/** Takes away what was made on the way and holds nothing any more. */
function withoutEmpty(text: string, path: readonly string[], depth: number): string {
  let left = text;
  for (let length = path.length; length > depth; length -= 1) {
    const node = nodeAt(parseJsonText(left), path.slice(0, length));
    if (node?.entries?.length === 0) left = removeIn(left, path.slice(0, length));
  }
  return left;
}

function listAt(text: string, path: readonly string[]): readonly unknown[] {
  const value = nodeAt(parseJsonText(text), path)?.value;
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new JsonTextError(`${path.join(".")} is no list`);
  return value as unknown[];
}

function depthOf(text: string, path: readonly string[]): number {
  const root = parseJsonText(text);
  const missing = path.findIndex((_, index) => !nodeAt(root, path.slice(0, index + 1)));
  return missing < 0 ? path.length : missing;
}

function naming<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new EditProblem(`${file} cannot be changed: ${error.message}`, { cause: error });
  }
}
