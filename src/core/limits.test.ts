import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frameForMcp } from "./frame.ts";
import { fitPage } from "./limits.ts";

/** Texts that take one to twelve bytes a character to write. */
const body = fc
  .tuple(
    fc.constantFrom("a", '"', "\n", "\u001b", "\u007f", "ü", "\u00ad", "漢", "\u200b", "😀", "\u{e0041}"),
    fc.nat(600),
  )
  .map(([character, times]) => character.repeat(times));
const items = fc.array(fc.record({ id: fc.nat(), body }), { minLength: 1, maxLength: 12 });

describe("fitPage", () => {
  it("ends a page before what is written runs over, and holds all that fits", () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 700, max: 9_000 }), fc.constantFrom(0, 1), (all, bytes, least) => {
        const { page, hasMore } = fitPage(all, all.length, bytes, least);

        const written = (count: number) => Buffer.byteLength(frameForMcp({ items: all.slice(0, count) }));
        expect(hasMore).toBe(page.length < all.length);
        expect(page).toEqual(all.slice(0, page.length));
        if (page.length > least) expect(written(page.length)).toBeLessThanOrEqual(bytes);
        expect(page.length).toBeGreaterThanOrEqual(least);
        if (hasMore) expect(written(page.length + 1)).toBeGreaterThan(bytes - 620);
      }),
    );
  });

  it("holds no more than were asked for", () => {
    expect(fitPage([1, 2, 3], 2, 9_000)).toEqual({ page: [1, 2], hasMore: true });
    expect(fitPage([1, 2], 2, 9_000)).toEqual({ page: [1, 2], hasMore: false });
  });
});
