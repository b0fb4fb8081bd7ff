import { z } from "zod";
import { fail } from "./errors.ts";
import { maskTokens } from "./secrets.ts";

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Handles nobody may have: each would read as the hub, as everybody, or as an approval. */
export const RESERVED_HANDLES: ReadonlySet<string> = new Set([
  "admin",
  "system",
  "crewroom",
  "operator",
  "human",
  "approved",
  "me",
  "room",
  "all",
]);

const RULE = "must be 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit";

/** What an answer with secrets says when it comes again under its idempotency key. */
export const noteOnSecrets = z.string().optional().describe("When it comes again: what to do, for secrets come once");

/** The name of a room or an organization. */
export const name = z.string().regex(NAME, RULE);

/** The handle of a new member. */
export const newHandle = name.refine((handle) => !RESERVED_HANDLES.has(handle), "is a reserved handle");

/** Spaces and characters that show nothing: a text made of them alone is empty to its reader. */
const NOTHING_VISIBLE = /^[\s\p{Cf}\u2800\u3164\uffa0\u115f\u1160\p{M}]*$/u;

/** Text that must show something. `most` counts code points. Tokens in it are covered, unless it is wanted as sent. */
export function visibleText(most: number, secrets: Secrets = "covered") {
  return text(most, secrets).refine((value) => !NOTHING_VISIBLE.test(value), "must not be empty");
}

/** Text that may be empty; but for tokens in it, which are covered, it is kept byte for byte as sent. */
export function text(most: number, secrets: Secrets = "covered") {
  const kept = z.string().refine((value) => isAtMost(value, most), `may have at most ${most} characters`);
  return secrets === "covered" ? kept.overwrite(maskTokens) : kept;
}

type Secrets = "covered" | "as sent";

function isAtMost(value: string, most: number): boolean {
  if (value.length <= most) return true;
  if (value.length > most * 2) return false;
  let count = 0;
  for (const _ of value) count += 1;
  return count <= most;
}

/** A moment (ms since 1970) as the wire has it: `YYYY-MM-DDTHH:MM:SS.mmmZ`, UTC. */
export function toIso(moment: number): string;
export function toIso(moment: number | null): string | null;
export function toIso(moment: number | null): string | null {
  return moment === null ? null : new Date(moment).toISOString();
}

/** How a moment is described in answers. */
export const isoMoment = z.iso.datetime();

/**
 * The moment (ms) that a time with any offset stands for.
 *
 * @throws HubError `bad_input` for a time without a zone, or one that does not exist.
 */
export function momentOf(field: string, text: string): number {
  const moment = z.iso.datetime({ offset: true }).safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) throw fail("bad_input", { field, problem: "must be an ISO 8601 time with a zone" });
  return moment;
}

/** Checks input strictly; the refusal names the first field that is wrong, and unknown ones by name. */
export function parseInput<Input extends z.ZodObject>(
  schema: Input,
  input: Readonly<Record<string, unknown>>,
): z.output<Input> {
  refuseBadText(input);
  // To the originals' clients a field that is null is one that is not given.
  const given = Object.values(input).includes(null)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
    : input;
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const unknown =
    issue?.code === "unrecognized_keys"
      ? issue.keys.map((key) => JSON.stringify(key.slice(0, 64))).join(", ")
      : undefined;
  const known = Object.keys(schema.shape).join(", ");
  if (unknown !== undefined)
    throw fail("bad_input", { field: "", problem: `has unknown fields ${unknown}; known are ${known}` });
  throw fail("bad_input", {
    field: issue?.path.join(".") ?? "",
    problem: issue && isMissing(given, issue) ? "is required" : lowerFirst(issue?.message ?? "does not fit"),
  });
}

/** The library would say what kind it expected and that it received undefined. */
function isMissing(given: unknown, { code, path }: z.core.$ZodIssue): boolean {
  if (code === "custom" || path.length === 0) return false;
  const found = path.reduce((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], given);
  return found === undefined;
}

/** NUL cannot be kept by Postgres and a lone surrogate is changed by SQLite in silence: both are refused everywhere. */
function refuseBadText(input: unknown, path = "", depth = 0) {
  if (typeof input === "string") {
    if (input.includes("\0")) throw fail("bad_input", { field: path, problem: "has a NUL character" });
    if (!input.isWellFormed()) throw fail("bad_input", { field: path, problem: "has half of a surrogate pair" });
  } else if (typeof input === "object" && input !== null) {
    if (depth > 20) throw fail("bad_input", { field: path, problem: "is nested too deep" });
    for (const [key, value] of Object.entries(input))
      refuseBadText(value, path === "" ? key : `${path}.${key}`, depth + 1);
  }
}

function lowerFirst(text: string) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
