import fc from "fast-check";
import { expect, it } from "vitest";
import { folded, wordsOf } from "./words.ts";

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ["Retry logic?", ["retry", "logic"]],
  ["naïve Überraschung", ["naive", "uberraschung"]],
  ["ＦＵＬＬ ﬁle", ["full", "file"]],
  ["getUserName", ["get", "user", "name", "getusername"]],
  ["HTTPServer2", ["http", "server2", "httpserver2"]],
  ["retry_policy", ["retry", "policy", "retry_policy"]],
  ["alpha-repo/api.v1", ["alpha", "repo", "api", "v1", "alpha-repo/api.v1"]],
  ["東京tower", ["東京", "tower"]],
  ["ラーメン", ["ラー", "ーメ", "メン"]],
  ["猫", ["猫"]],
  ["Привет, Κόσμος", ["привет", "κοσμος"]],
  ["a".repeat(100), ["a".repeat(64)]],
  ["?! … 🦀 '\"\\", []],
];

it.each(CASES)("cuts %j into its words", (text, words) => {
  expect(wordsOf(text, "asked")).toEqual(words);
});

it.each(CASES)("folds %j so that each of its words is in it", (text, words) => {
  expect(words.filter((word) => !folded(text).includes(word))).toEqual([]);
});

it("finds a single sign inside a word that is written without spaces", () => {
  expect(wordsOf("黒猫", "searched")).toEqual(expect.arrayContaining(wordsOf("猫", "asked")));
});

it("keeps of any text only what both databases can be asked for, and finds each text by itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      const asked = wordsOf(text, "asked");

      for (const word of asked) expect(word).toMatch(/^[^\s"'\\()=&|!*<>\0]{1,64}$/u);
      expect(wordsOf(text, "searched")).toEqual(expect.arrayContaining(asked));
    }),
    { numRuns: 2_000 },
  );
});
