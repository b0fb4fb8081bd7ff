/** The text is not the JSON that a file of settings holds. */
export class JsonTextError extends Error {}

export type Path = readonly (string | number)[];

/** A value and where it stands in the text. */
export interface JsonNode {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  readonly value: unknown;
  /** The values in it, with where each entry begins: its key, in an object. Undefined for what holds no others. */
  readonly entries?: readonly { readonly key: string | number; readonly start: number; readonly node: JsonNode }[];
}

const SPACE = /(?:[\s\ufeff]|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const SCALAR = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;

/**
 * Reads JSON as clients keep it: with comments, and commas behind the last entry.
 *
 * @throws JsonTextError with the line of what cannot be read.
 */
export function parseJsonText(text: string): JsonNode {
  const cursor = { text, at: 0 };
  const root = readValue(cursor);
  skip(cursor);
  if (cursor.at < text.length) throw wrong(cursor);
  return root;
}

interface Cursor {
  readonly text: string;
  at: number;
}

function readValue(cursor: Cursor): JsonNode {
  skip(cursor);
  if (cursor.text[cursor.at] === "{") return readObject(cursor);
  if (cursor.text[cursor.at] === "[") return readArray(cursor);
  const start = cursor.at;
  const value = readScalar(cursor);
  return { start, value, end: cursor.at };
}

function readObject(cursor: Cursor): JsonNode {
  const object = readList(cursor, "}", (start) => {
    const key = readScalar(cursor);
    if (typeof key !== "string") throw wrong(cursor);
    take(cursor, ":");
    return { key, start, node: readValue(cursor) };
  });
  return { ...object, value: Object.fromEntries(object.entries.map(({ key, node }) => [key, node.value])) };
}

function readArray(cursor: Cursor): JsonNode {
  let count = 0;
  const array = readList(cursor, "]", (start) => ({ key: count++, start, node: readValue(cursor) }));
  return { ...array, value: array.entries.map(({ node }) => node.value) };
}

function readList<Entry>(cursor: Cursor, close: string, entry: (start: number) => Entry) {
  const start = cursor.at++;
  const entries: Entry[] = [];
  for (skip(cursor); cursor.text[cursor.at] !== close; skip(cursor)) {
    entries.push(entry(cursor.at));
    skip(cursor);
    if (cursor.text[cursor.at] !== close) take(cursor, ",");
  }
  return { start, end: ++cursor.at, entries };
}

function readScalar(cursor: Cursor): unknown {
  SCALAR.lastIndex = cursor.at;
  const [found] = SCALAR.exec(cursor.text) ?? [];
  if (found === undefined) throw wrong(cursor);
  try {
    const value: unknown = JSON.parse(found);
    cursor.at += found.length;
    return value;
  } catch {
    throw wrong(cursor);
  }
}

function skip(cursor: Cursor) {
  SPACE.lastIndex = cursor.at;
  cursor.at += SPACE.exec(cursor.text)?.[0].length ?? 0;
}

function take(cursor: Cursor, character: string) {
  skip(cursor);
  if (cursor.text[cursor.at] !== character) throw wrong(cursor);
  cursor.at++;
}

function wrong({ text, at }: Cursor) {
  return new JsonTextError(`it is not JSON from line ${text.slice(0, at).split("\n").length} on`);
}

/** The node at a path; undefined when there is none. */
export function nodeAt(root: JsonNode, path: Path): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of path) node = node?.entries?.findLast(({ key }) => key === step)?.node;
  return node;
}

/**
 * The text with this value at this path; objects on the way are made. All else stays as it is, letter by letter.
 *
 * @throws JsonTextError when something on the way is no object.
 */
export function setIn(text: string, path: readonly string[], value: unknown): string {
  const root = parseJsonText(text);
  const node = nodeAt(root, path);
  if (node) return text.slice(0, node.start) + layOut(value, indentAt(text, node.start), text) + text.slice(node.end);
  const depth = path.findIndex((_, index) => !nodeAt(root, path.slice(0, index + 1)));
  const parent = nodeAt(root, path.slice(0, depth));
  if (!parent?.entries || Array.isArray(parent.value))
    throw new JsonTextError(`${path.slice(0, depth).join(".") || "the whole of it"} is no object`);
  const inner = path.slice(depth + 1).reduceRight<unknown>((held, key) => ({ [key]: held }), value);
  return insert(text, parent, inner, path[depth]);
}

/** The text with one more value at the end of the list at this path, which is made when it is missing. @throws JsonTextError as `setIn`. */
export function appendIn(text: string, path: readonly string[], value: unknown): string {
  const node = nodeAt(parseJsonText(text), path);
  if (!node) return setIn(text, path, [value]);
  if (!Array.isArray(node.value)) throw new JsonTextError(`${path.join(".")} is no list`);
  return insert(text, node, value);
}

/** The text without what is at this path, and without a comma too many. The same text when there is nothing. */
export function removeIn(text: string, path: Path): string {
  const parent = nodeAt(parseJsonText(text), path.slice(0, -1));
  const entries = parent?.entries ?? [];
  const at = entries.findLastIndex(({ key }) => key === path.at(-1));
  const entry = entries[at];
  if (!parent || !entry) return text;
  const before = entries[at - 1];
  const after = entries[at + 1];
  if (after) return text.slice(0, entry.start) + text.slice(after.start);
  if (before) return text.slice(0, before.node.end) + text.slice(entry.node.end);
  const [open, close] = [text.slice(parent.start + 1, entry.start), text.slice(entry.node.end, parent.end - 1)];
  // What stands beside it is a remark of somebody's.
  return `${text.slice(0, parent.start + 1)}${(open + close).trim() === "" ? "" : open + close}${text.slice(parent.end - 1)}`;
}

function insert(text: string, parent: JsonNode, value: unknown, key?: string): string {
  const last = parent.entries?.at(-1);
  const outer = indentAt(text, parent.start);
  const first = parent.entries?.[0];
  const head = first ? text.slice(parent.start, first.start) : "";
  const inner = first ? (/\n([ \t]*)$/.exec(head)?.[1] ?? outer) : outer + unitOf(text);
  const entry = (key === undefined ? "" : `${JSON.stringify(key)}: `) + layOut(value, inner, text);
  const line = `${endOfLine(text)}${inner}`;
  if (last) {
    const gap = head.includes("\n") ? line : " ";
    return `${text.slice(0, last.node.end)},${gap}${entry}${text.slice(last.node.end)}`;
  }
  const rest = text.slice(parent.start + 1, parent.end - 1);
  const close = rest.trim() === "" ? `${endOfLine(text)}${outer}` : rest;
  return text.slice(0, parent.start + 1) + line + entry + close + text.slice(parent.end - 1);
}

/** The value over lines, those after the first set in. */
function layOut(value: unknown, indent: string, text: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", `${endOfLine(text)}${indent}`);
}

/** What begins the line of this place. */
function indentAt(text: string, at: number): string {
  return /[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";
}

/** How far the text sets each level in. */
function unitOf(text: string): string {
  return /^[{[][^\S\n]*\r?\n([ \t]+)\S/.exec(text.trimStart())?.[1] ?? "  ";
}

function endOfLine(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
