import { expect, test } from "vitest";
import { printReference, stalePages } from "../scripts/print-reference.ts";

test("docs/reference is what npm run docs would print", () => {
  expect(printReference().size).toBeGreaterThan(4);
  expect(stalePages(), "stale pages: run npm run docs").toEqual([]);
});
