import { z } from "zod";
import { fail } from "./errors.ts";

/** A moment (ms since 1970) as the wire has it: `YYYY-MM-DDTHH:MM:SS.mmmZ`, UTC. */
export function toIso(moment: number): string;
export function toIso(moment: number | null): string | null;
export function toIso(moment: number | null): string | null {
  return moment === null ? null : new Date(moment).toISOString();
}

/** How a moment is described in answers. */
export const isoMoment = z.iso.datetime();

/**
 * The moment (ms) that a time with any offset stands for.
 *
 * @throws HubError `bad_input` for a time without a zone, or one that does not exist.
 */
export function momentOf(field: string, text: string): number {
  const moment = z.iso.datetime({ offset: true }).safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) throw fail("bad_input", { field, problem: "must be an ISO 8601 time with a zone" });
  return moment;
}
