import { z } from "zod";

/**
 * A field that takes a cursor or, as the originals did, an event's integer id.
 *
 * Tools must not have unions, so its schema says what both can be written as: a string.
 */
export function cursorField(description: string) {
  const field = z.unknown().refine(isCursor, "must be an event id or a cursor").meta({ type: "string", description });
  // The check lets nothing else through.
  return field as unknown as z.ZodType<string | number, string | number>;
}

function isCursor(value: unknown): boolean {
  return typeof value === "string" || (Number.isInteger(value) && Number(value) >= 0);
}
