import fc from "fast-check";
import { expect, test } from "vitest";
import { openFormTokens, parseForm } from "./form.ts";

test("A form is read as a browser wrote it.", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })), (fields) => {
      const sent = new URLSearchParams(fields).toString();

      expect(Object.fromEntries(parseForm(sent))).toEqual({ ...fields });
    }),
  );
});

test.each([
  ["a field twice", "a=1&a=2"],
  ["a field twice, once in other letters", "a=1&%61=2"],
  ["bytes that are no UTF-8", "a=%ff"],
  ["an overlong NUL", "a=%c0%80"],
  ["half of a surrogate pair", "a=%ed%a0%80"],
  ["raw bytes that are no UTF-8", "a=\xff"],
  ["a % that stands for nothing", "a=%zz"],
  ["a % at the end", "a=%"],
  ["more fields than any form of ours", Array.from({ length: 51 }, (_, at) => `f${at}=1`).join("&")],
])("A form with %s is refused, and what was sent is not repeated.", (_, sent) => {
  expect(() => parseForm(sent)).toThrow(/^The input [a-z% -]+(UTF-8|twice|nothing|50 fields)\.$/);
});

test("A form's token fits where it was made for, and nowhere else.", () => {
  const tokens = openFormTokens(Buffer.alloc(32, 1));
  const others = openFormTokens(Buffer.alloc(32, 2));
  const form = (token: string) => new Map([["form_token", token]]);
  const made = tokens.make("this session");

  expect(() => tokens.check(form(made), "this session")).not.toThrow();
  for (const token of ["", made.slice(1), `${made}x`, others.make("this session"), tokens.make("another session")])
    expect(() => tokens.check(form(token), "this session")).toThrow("was not made for this browser");
  expect(() => tokens.check(new Map(), "this session")).toThrow("was not made for this browser");
});
