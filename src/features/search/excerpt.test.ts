import fc from "fast-check";
import { expect, test } from "vitest";
import { excerptOf } from "./excerpt.ts";

test.each([
  ["a short text", ["text"], "a short text"],
  ["two\n  lines", ["lines"], "two lines"],
  ["the needle first, then much more of other things to read", ["needle"], "the needle first, then much more of oth…"],
  [`${"a ".repeat(50)}needle ${"b ".repeat(50)}`, ["needle"], "…a a a a a needle b b b b b b b b b b b…"],
  [`${"a ".repeat(50)}needle`, ["needle"], "… a a a a a a a a a a a a a a a a needle"],
])("excerptOf cuts %j around %j to %j", (text, words, excerpt) => {
  expect(excerptOf(text, words, 40)).toBe(excerpt);
});

test("excerptOf is short, well-formed and of one line, whatever the text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 2_000 }),
      fc.string({ unit: "binary", minLength: 1, maxLength: 4 }),
      (text, word) => {
        const excerpt = excerptOf(text, [word], 50);
        expect(Array.from(excerpt).length).toBeLessThanOrEqual(50);
        expect(excerpt).not.toMatch(/[\n\r]/);
        expect(excerpt.isWellFormed() || !text.isWellFormed()).toBe(true);
      },
    ),
  );
});
