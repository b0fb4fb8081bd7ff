import fc from "fast-check";
import { expect, test } from "vitest";
import { html, textOf } from "./html.ts";

/** What a browser's parser makes of character references. */
const read = (written: string) => written.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom("<", ">", "&", '"', "'", "`", "=", " ", "/", "-", "!", "script", "&lt;", "\r", "\n"))
    .map((pieces) => pieces.join("")),
);

test("A text between tags is read back as it was, and begins no tag.", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const inside = textOf(html`<p>${text}</p>`).slice(3, -4);

      expect(inside).not.toMatch(/[<>"'`\r]|&(?!#\d+;)/);
      expect(read(inside)).toBe(text);
    }),
  );
});

test("A text in an attribute is read back as it was, and ends no attribute.", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const written = textOf(html`<a title="${text}">x</a>`);
      const match = /^<a title="([^"<>]*)">x<\/a>$/.exec(written);

      expect(read(match?.[1] ?? "another tag")).toBe(text);
    }),
  );
});

test("Markup stands as it is, lists follow each other, and nothing leaves nothing.", () => {
  const item = (text: string) => html`<li>${text}</li>`;

  expect(textOf(html`<ul>${["<a>", "b"].map(item)}${undefined}${false}${0}</ul>`)).toBe(
    "<ul><li>&#60;a&#62;</li><li>b</li>0</ul>",
  );
});

test("What only looks like markup is none.", () => {
  const fromOutside: unknown = JSON.parse('{"Symbol(markup)":"<script>","markup":"<script>"}');

  // Its type is what a caller would have to lie about.
  expect(() => textOf(html`${fromOutside as string}`)).toThrow();
});

test("A value in an attribute without quotes is a mistake of ours.", () => {
  expect(() => html`<a title=${"x"}>x</a>`).toThrow("without quotes");
  expect(() => html`<a title="${"x"}" class=${"y"}>x</a>`).toThrow("without quotes");
  expect(() => html`<a href="/login?next=${"/x"}">x</a>`).not.toThrow();
});
