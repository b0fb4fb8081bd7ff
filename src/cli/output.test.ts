import { expect, test } from "vitest";
import { openOutput, safeJson, table } from "./output.ts";

/** What could steer a terminal or hide in it: escapes, C1, DEL, bidi, zero-width, tags, a title change, a clipboard write. */
const HOSTILE = [
  "\u001b[31mred",
  "\u001b]0;title\u0007",
  "\u001b]52;c;aGk=\u0007",
  "\u001b]8;;http://x\u001b\\link",
  "\u009b2J",
  "\u0085next",
  "\u007f",
  "\b\b\bover",
  "\rover",
  "\u202egnp.exe",
  "\u2066\u2069",
  "zero\u200bwidth\u200d",
  "\ufeff",
  "\u2028line",
  "\u{e0041}\u{e007f}",
  "\u0000",
];
const RAW = /[^\n\t\x20-\x7e]/u;

function collect() {
  const printed: string[] = [];
  const out = (text: string) => void printed.push(text);
  return { printed, output: openOutput({ out, err: out, isTty: true }) };
}

test("nothing of a peer's text reaches the terminal raw, by whatever way it is printed", () => {
  const { printed, output } = collect();

  for (const text of HOSTILE) {
    output.say(text);
    output.note(text);
    output.value({ text });
    output.page({ text });
    output.fail({ exit: 1, code: "x", message: text, next: text, data: { text } }, false);
    output.fail({ exit: 1, code: "x", message: text, next: text, data: { text } }, true);
    output.say(table(["A", "B"], [[text, "b"]]));
  }

  for (const text of printed) expect(text).not.toMatch(RAW);
});

test("JSON printed safely is the same value, and letters of every language stay as they are", () => {
  const value = { text: HOSTILE.join(""), kept: "Zürich 東京 🧡 𝒳", list: [1, null, true] };

  expect(JSON.parse(safeJson(value))).toEqual(value);
  expect(JSON.parse(safeJson(value, 2))).toEqual(value);
  expect(safeJson(value)).toContain("Zürich 東京 🧡 𝒳");
});

test("a table keeps each row on its line", () => {
  expect(
    table(
      ["ID", "LABEL"],
      [
        ["1", "two\nlines"],
        ["22", ""],
      ],
    ),
  ).toBe("ID  LABEL\n1   two lines\n22");
});
