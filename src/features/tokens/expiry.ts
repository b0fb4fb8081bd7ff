import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { momentOf } from "../../core/fields.ts";

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * When a token ends, in ms since 1970, or null for never. More than the longest life is cut down to it.
 *
 * @param asked  `90d`, `12h`, `30m`, or an ISO 8601 time with a zone.
 * @throws HubError `bad_input` for what is none of these, zero, or in the past.
 */
export function expiryOf(now: number, field: string, asked: string | undefined): number | null {
  if (asked === undefined) return null;
  const match = /^(\d{1,9})([mhd])$/.exec(asked);
  // The expression lets only these three letters through.
  const moment = match ? now + Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : momentOf(field, asked);
  if (moment <= now) throw fail("bad_input", { field, problem: "must be in the future" });
  return Math.min(moment, now + LIMITS.tokenDays * UNITS.d);
}
