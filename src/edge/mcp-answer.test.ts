import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../core/limits.ts";
import { writeAnswer } from "./mcp-answer.ts";

const QUERY = { name: "read_notes", kind: "query", untrusted: ["notes"] } as const;
const TAG = "\u{e0041}";

function parts(text: string) {
  const { _note, _cut, ...answer } = JSON.parse(text);
  return { _note, _cut, answer };
}

describe("writeAnswer", () => {
  it.each([
    ["letters", "x"],
    ["quotes", '"'],
    ["line breaks", "\n"],
    ["CJK", "漢"],
    ["emoji", "😀"],
  ])("leaves the longest body of %s whole, and a full task beside it", (_, character) => {
    const answer = { body: character.repeat(LIMITS.taskBody), links: Array(20).fill("x".repeat(LIMITS.linkUrl)) };

    expect(parts(writeAnswer(QUERY, answer))).toEqual({ _note: expect.any(String), _cut: undefined, answer });
  });

  it.each([
    ["controls", "\u001b"],
    ["what has no width", "\u200b"],
    ["tags", TAG],
  ])("ends a body full of %s, says where, and goes no further than it must", (_, character) => {
    const body = `a${character.repeat(LIMITS.taskBody - 1)}`;
    const text = writeAnswer(QUERY, { note: { body } });

    const { _cut, answer } = parts(text);
    const kept = Array.from(answer.note.body).length;
    expect(body.startsWith(answer.note.body)).toBe(true);
    expect(_cut).toBe(
      `Read whole over REST, POST /api/read_notes with the same input: note.body (${kept} of 16384 characters).`,
    );
    expect(text.length).toBeGreaterThan(LIMITS.mcpAnswerBytes);
    expect(text.length).toBeLessThanOrEqual(LIMITS.mcpAnswerLength);
  });

  it("tells what changed something to read it by a query, for the same call would change it again", () => {
    const text = writeAnswer({ name: "claim_note", kind: "command" }, { task: { body: TAG.repeat(9_000) } });

    expect(parts(text)._cut).toMatch(/^Read whole over REST, with the query that reads it, under \/api: task.body \(/);
  });

  it("never writes more than fits, whatever the texts and however many; each is whole or its own beginning", () => {
    const long = fc
      .tuple(fc.constantFrom("a", "\u0000", TAG, "漢", "\u202e", "e\u0301\u200b"), fc.nat(20_000))
      .map(([piece, times]) => piece.repeat(times));

    fc.assert(
      fc.property(fc.array(long, { maxLength: 60 }), (notes) => {
        const text = writeAnswer(QUERY, { count: notes.length, notes: notes.map((body, id) => ({ id, body })) });

        const { _cut, answer } = parts(text);
        expect(text.length).toBeLessThanOrEqual(LIMITS.mcpAnswerLength);
        expect(answer.notes).toHaveLength(notes.length);
        const cut = notes.filter((body, id) => {
          const shown: string = answer.notes[id].body;
          expect(body.startsWith(shown) && shown.isWellFormed()).toBe(true);
          return shown !== body;
        });
        expect(_cut === undefined).toBe(cut.length === 0);
        if (cut.length > 10) expect(_cut).toContain(`, and ${cut.length - 10} more.`);
      }),
      { numRuns: 30 },
    );
  });
});
