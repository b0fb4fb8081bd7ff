/** Longest word kept, in code points: what is longer is found by its beginning. */
const LONGEST = 64;
/** Words of one text at most; a text of 16,384 characters seldom has a fifth of it. */
const MOST_WORDS = 5_000;

/**
 * The words by which a text is found, each once. One way for both databases, so that both find the same: compatibility forms
 * (NFKC), lower case, no diacritics; cut where the script changes, at punctuation and between the parts of an identifier,
 * which is a word as a whole too. Chinese, Japanese and Korean have no spaces: every two signs that stand together are a word,
 * and in a text that is searched every single one.
 *
 * @source Two-sign words for scripts without spaces: Unicode Standard Annex #29, section 6, and Lucene's CJKBigramFilter.
 */
export function wordsOf(text: string, use: "searched" | "asked"): string[] {
  const words = new Set<string>();
  const plain = text.normalize("NFKC");
  for (const [identifier] of plain.matchAll(IDENTIFIER)) {
    const parts = [...identifier.matchAll(PART)].map(([part]) => fold(part));
    for (const part of parts) {
      for (const word of isJoined(part) ? signsOf(part, use) : [part]) words.add(shorten(word));
      if (words.size >= MOST_WORDS) return [...words];
    }
    if (parts.length > 1) words.add(shorten(fold(identifier)));
  }
  return [...words].filter((word) => word !== "");
}

/** A text as its words are written: whatever word it has is in it, letter for letter. Much cheaper than to cut it up. */
export function folded(text: string): string {
  return fold(text.normalize("NFKC"));
}

const JOINED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー";
/** A run of words with only the signs between them that join an identifier: `retry_policy`, `api.v1`, `get-user`. */
const IDENTIFIER = new RegExp(
  `[${JOINED}]+|[[\\p{L}\\p{N}\\p{M}]--[${JOINED}]]+(?:[_.\\-\\/:@]+[[\\p{L}\\p{N}\\p{M}]--[${JOINED}]]+)*`,
  "gv",
);
/** Within it: one script, one run; `getUserName` is three. */
const PART = new RegExp(
  [
    `[${JOINED}]+`,
    "\\p{Lu}+(?![\\p{Ll}])[\\p{N}\\p{M}]*",
    "\\p{Lu}?[[\\p{Script=Latin}\\p{N}\\p{M}]--\\p{Lu}]+",
    "[\\p{Script=Cyrillic}\\p{M}]+",
    "[\\p{Script=Greek}\\p{M}]+",
    "[[\\p{L}\\p{M}]--[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]]+",
    "[\\p{L}\\p{N}]",
  ].join("|"),
  "gv",
);
const ALL_JOINED = new RegExp(`^[${JOINED}]+$`, "v");

function isJoined(part: string): boolean {
  return ALL_JOINED.test(part);
}

function fold(part: string): string {
  return part.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").normalize("NFC");
}

/** What is asked for must stand together; a single sign is found wherever it stands. */
function signsOf(part: string, use: "searched" | "asked"): string[] {
  const signs = Array.from(part);
  const pairs = signs.slice(1).map((sign, at) => `${signs[at]}${sign}`);
  if (pairs.length === 0 || use === "searched") return [...signs, ...pairs];
  return pairs;
}

function shorten(word: string): string {
  return word.length <= LONGEST ? word : Array.from(word).slice(0, LONGEST).join("");
}
