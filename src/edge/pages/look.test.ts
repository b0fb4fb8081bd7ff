import { expect, test } from "vitest";
import { COLOURS } from "./look.ts";

type Colour = keyof typeof COLOURS;

/** Relative luminance of `#rrggbb`. @source WCAG 2.2, "relative luminance". */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function contrastsOf(pairs: readonly (readonly [Colour, Colour])[]): [string, number][] {
  return pairs.flatMap(([front, ground]) =>
    [0, 1].map((scheme): [string, number] => [
      `${front} on ${ground}, ${scheme === 0 ? "light" : "dark"}`,
      contrast(COLOURS[front][scheme] ?? "", COLOURS[ground][scheme] ?? ""),
    ]),
  );
}

test("Text stands out from its ground at 4.5:1 or more, in both schemes.", () => {
  const texts = contrastsOf([
    ...(["ink", "quiet", "accent"] as const).flatMap((front) =>
      (["ground", "card", "sunk"] as const).map((ground) => [front, ground] as const),
    ),
    ["on-accent", "accent"],
    ["warn", "warn-ground"],
    ["bad", "bad-ground"],
  ]);

  expect(texts.filter(([, ratio]) => ratio < 4.5)).toEqual([]);
});

test("Edges of what can be filled in or pressed stand out at 3:1 or more, in both schemes.", () => {
  const edges = contrastsOf([
    ["edge", "card"],
    ["edge", "ground"],
    ["accent", "card"],
    ["bad", "card"],
    ["warn-edge", "warn-ground"],
  ]);

  expect(edges.filter(([, ratio]) => ratio < 3)).toEqual([]);
});
