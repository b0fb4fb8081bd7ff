import type { IncomingMessage } from "node:http";
import { fail } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";

/** What a JSON object is parsed to. Nothing in it is checked but its form. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The request's body as one JSON object, read strictly: what two parsers could read differently is refused.
 *
 * @param limitBytes  the body never takes more memory than this; anything larger is refused while it arrives.
 * @throws HubError `not_json_type`, `too_large`, `not_json`. The text sent is never repeated in them.
 */
export async function readJsonBody(request: IncomingMessage, limitBytes: number): Promise<JsonObject> {
  return asObject(await readJson(request, limitBytes));
}

/**
 * The same for any JSON value: what arrives at /mcp may be a list.
 *
 * @throws HubError `bad_input` too, for a list of more than `LIMITS.requestMessages`, before any of it is parsed.
 */
export async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  refuseOtherTypes(request);
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  return parseJson(await readBytes(request, limitBytes));
}

/**
 * One JSON object from bytes: UTF-8 without a byte order mark, no name twice in one object, none that reaches a prototype,
 * nested at most `LIMITS.requestDepth` deep.
 *
 * @throws HubError `not_json`
 */
export function parseJsonObject(bytes: Uint8Array): JsonObject {
  return asObject(parseJson(bytes));
}

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw notJson("it is empty");
  const text = decode(bytes);
  const members = countMembers(text);
  const value = parse(text);
  // Of two members with one name the parser keeps one; so fewer keys than members means that a name came twice.
  if (countKeys(value) !== members) throw notJson("a name comes twice in one object");
  return value;
}

const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;

function refuseOtherTypes({ headers }: IncomingMessage) {
  const type = headers["content-type"];
  if (headers["content-encoding"] !== undefined) throw fail("not_json_type", { got: "encoded" });
  if (type === undefined) throw fail("not_json_type", { got: "not given" });
  if (!JSON_TYPE.test(type)) throw fail("not_json_type", { got: "another one" });
}

/** The request's body, which never takes more memory than `limit` bytes. @throws HubError `too_large`, `not_json` when it was cut off. */
export function readBytes(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    // Its client may have left while the credential was looked up; then no further event comes.
    if (incoming.destroyed) reject(cutOff());
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else reject(tooLarge(limit));
    });
    incoming.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Every request closes, and making an error costs more than reading a small body.
    incoming.on("close", () => incoming.readableEnded || reject(cutOff()));
    incoming.on("error", () => reject(cutOff()));
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text.startsWith("\uFEFF")) throw notJson("it begins with a byte order mark");
  return text;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notJson("it is not UTF-8");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own sentence repeats what was sent.
    throw notJson("it does not parse");
  }
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * How many `name: value` a JSON text has: its colons outside strings. Refuses deep nesting and too long a list before the
 * parser meets them.
 */
function countMembers(text: string): number {
  const isList = /^\s*\[/.test(text);
  let members = 0;
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === COLON) members++;
    else if (code === COMMA) {
      if (isList && depth === 1 && ++commas === LIMITS.requestMessages) throw tooManyMessages();
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (++depth > LIMITS.requestDepth) throw notJson(`it is nested more than ${LIMITS.requestDepth} deep`);
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
  }
  return members;
}

/** Where the string that begins at `from` has its closing quote; the text's end if it has none. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
  }
  return text.length;
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((count: number, item) => count + countKeys(item), 0);
  let count = 0;
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__" || key === "constructor" || key === "prototype") throw notJson("a name in it is reserved");
    count += 1 + countKeys(item);
  }
  return count;
}

function asObject(value: unknown): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notJson("it is something else");
  return value as JsonObject; // an object that is no list
}

function notJson(problem: string) {
  return fail("not_json", { problem });
}

function cutOff() {
  return notJson("it was cut off on the way");
}

function tooManyMessages() {
  return fail("bad_input", { field: "", problem: `is a list of more than ${LIMITS.requestMessages} messages` });
}

function tooLarge(limit: number) {
  return fail("too_large", { what: "The body", most: limit, unit: "bytes" });
}
