import { folded } from "../../store/words.ts";

/** How much of the excerpt stands before the first word, at most. */
const BEFORE = 1 / 4;

/**
 * The part of a text in which the first of these words is met, on one line, at most `most` code points long; `…` stands where it
 * was cut. The whole text when it is short.
 *
 * @param words  as `wordsOf` gives them for a query.
 */
export function excerptOf(text: string, words: readonly string[], most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  // So long a text is cut by its code units first: to take a whole one apart would cost more than to find it.
  const signs = Array.from(line.slice(0, MOST_LOOKED_AT));
  const isWhole = line.length <= MOST_LOOKED_AT;
  if (isWhole && signs.length <= most) return line;
  const from = startOf(signs, words, most);
  const room = most - (from > 0 ? 1 : 0);
  const isEnd = isWhole && signs.length - from <= room;
  const to = isEnd ? signs.length : from + room - 1;
  return `${from > 0 ? "…" : ""}${signs.slice(from, to).join("").toWellFormed()}${isEnd ? "" : "…"}`;
}

/** Code units of a text that are looked at. */
const MOST_LOOKED_AT = 20_000;

function startOf(signs: readonly string[], words: readonly string[], most: number): number {
  const plain = folded(signs.join(""));
  const met = words.map((word) => plain.indexOf(word)).filter((at) => at >= 0);
  if (met.length === 0) return 0;
  // Folding changes lengths here and there, so this may be a little off.
  const first = Array.from(plain.slice(0, Math.min(...met))).length;
  const before = Math.floor(most * BEFORE);
  if (first < most - before) return 0;
  return Math.max(0, Math.min(first - before, signs.length - most + 1));
}
