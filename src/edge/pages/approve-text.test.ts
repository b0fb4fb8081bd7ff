import fc from "fast-check";
import { expect, test } from "vitest";
import { showWhole } from "./approve-text.ts";
import { textOf } from "./html.ts";

/** What a reader sees: the text of the markup. */
const seen = (text: string) =>
  textOf(showWhole(text))
    .replace(/<[^>]*>/g, "")
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
const leadsOf = (text: string) =>
  [...textOf(showWhole(text)).matchAll(/<span class="leads">leads to ([^<]*)<\/span>/g)].map((match) => match[1]);

test("Nothing of a text is left out, and what shows nothing is written out and marked.", () => {
  const text = "pay\u200b £10\u202e01\u00ad\r\nnow\u{e0041}\ttab";

  expect(seen(text)).toBe("pay\\u{200b} £10\\u{202e}01\\u{ad}\\u{d}\nnow\\u{e0041}\ttab");
  expect(textOf(showWhole(text)).match(/<mark class="hidden">/g)).toHaveLength(5);
});

test("Before empty lines that would push the rest out of sight stands how many they are; the blank of Braille is marked.", () => {
  const text = `yes${"\n".repeat(1_501)}and pay\u2800me`;

  expect(seen(text)).toBe(`yes1500 empty lines, then more${"\n".repeat(1_501)}and pay\\u{2800}me`);
  expect(seen("one\n\n\n\ntwo")).toBe("one\n\n\n\ntwo");
});

test("A text that only spells such a character is not marked.", () => {
  expect(textOf(showWhole("\\u{200b}"))).not.toContain("<mark");
});

test("Every other text is seen as it is.", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "<", "&", '"', "é", "漢", "😀", "\\", "\t") }),
      (text) => {
        expect(seen(text).replace(/\d+ empty lines, then more/g, "")).toBe(text);
      },
    ),
  );
});

test.each([
  ["https://аpple.com/login", ["xn--pple-43d.com"]],
  ["see аpple.com.", ["xn--pple-43d.com"]],
  ["write to boss@аpple.com", ["xn--pple-43d.com"]],
  ["https://bank.example@evil.example/x", ["evil.example"]],
  ["http://2130706433/", ["127.0.0.1"]],
  ["https://ex\u200bample.com", ["example.com"]],
  ["https://ｅｘａｍｐｌｅ.com", ["example.com"]],
  ["https://one.example and https://twо.example", ["xn--tw-gmc.example"]],
  ["see example.соm", ["example.xn--m-0tbi"]],
  ["see example.сом", ["example.xn--l1adi"]],
])("Beside an address stands where it leads when that is not what it seems: %s", (text, hosts) => {
  expect(leadsOf(text)).toEqual(hosts);
});

test.each([
  "https://example.com:8443/a?b=c#d",
  "example.com",
  "Use node.js, e.g. v24.15.",
  "(https://example.com)",
  "a.b@c.example",
  "Всё готово.Можно начинать.",
])("An address that is what it seems has nothing beside it: %s", (text) => {
  expect(leadsOf(text)).toEqual([]);
});
