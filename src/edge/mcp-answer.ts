import { frameForMcp, writtenBytes } from "../core/frame.ts";
import { LIMITS } from "../core/limits.ts";
import type { Operation } from "../core/operation.ts";

type Json = Readonly<Record<string, unknown>>;
type Named = Pick<Operation, "name" | "kind" | "untrusted">;

/** An operation's answer as the text of a tool's result or a resource. */
export function writeAnswer(operation: Named, answer: Json): string {
  return writeBounded(operation, answer, (value) => frameForMcp(value, operation.untrusted));
}

/**
 * An answer as `write` writes it, `LIMITS.mcpAnswerLength` long at most. Pages end long before; one item alone can be longer
 * when much in it hides, for that takes six to twelve characters each to write: 197 KB for the longest body. Then the
 * longest texts lose their ends, and `_cut` says which, and where they are whole. Why: docs/decisions/0009-long-answers.md.
 */
export function writeBounded(operation: Named, answer: Json, write: (answer: Json) => string): string {
  let written = write(answer);
  // What is in an answer besides its texts is bounded far below, so this ends.
  for (
    let bytes: number = LIMITS.mcpAnswerBytes;
    written.length > LIMITS.mcpAnswerLength;
    bytes = Math.floor(bytes / 2)
  ) {
    written = write(withCuts(operation, answer, bytes));
  }
  return written;
}

/** The answer with no text in it longer than `bytes` as it is written, and with `_cut` in front. */
function withCuts(operation: Named, answer: Json, bytes: number): Json {
  const cuts: string[] = [];
  const shown = Object.entries(answer).map(([name, value]) => [name, cutTexts(value, name, bytes, cuts)] as const);
  return { _cut: tell(operation, cuts), ...Object.fromEntries(shown) };
}

/** Tells `cuts` of every text that lost its end. */
function cutTexts(value: unknown, place: string, bytes: number, cuts: string[]): unknown {
  if (typeof value === "string") {
    const shown = beginningOf(value, bytes);
    if (shown !== value) cuts.push(`${place} (${countOf(shown)} of ${countOf(value)} characters)`);
    return shown;
  }
  if (Array.isArray(value)) return value.map((item, at) => cutTexts(item, `${place}[${at}]`, bytes, cuts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, cutTexts(item, `${place}.${name}`, bytes, cuts)]),
  );
}

/** As much of a text from its front as is written in `bytes`, never through a character. */
function beginningOf(text: string, bytes: number): string {
  let size = 0;
  let end = 0;
  for (const character of text) {
    size += writtenBytes(character) - '""'.length;
    if (size > bytes) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

function countOf(text: string): number {
  return Array.from(text).length;
}

/** So many places are named; an answer of many short texts has none that is cut. */
const MOST_TOLD = 10;

function tell({ name, kind }: Named, cuts: readonly string[]): string {
  const where = kind === "query" ? `POST /api/${name} with the same input` : "with the query that reads it, under /api";
  const more = cuts.length > MOST_TOLD ? `, and ${cuts.length - MOST_TOLD} more` : "";
  return `Read whole over REST, ${where}: ${cuts.slice(0, MOST_TOLD).join(", ")}${more}.`;
}
