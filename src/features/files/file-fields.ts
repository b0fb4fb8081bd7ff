import { z } from "zod";
import { visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";

export const fileId = z.int().min(1);

/** A name and nothing else: what could lead elsewhere, or end a line, is refused and not taken out. */
export const fileName = visibleText(LIMITS.fileName)
  .transform((name) => name.trim())
  .refine((name) => !/[/\\]|^\.{1,2}$/.test(name), "must be a name without a path")
  .refine((name) => !/\p{Cc}/u.test(name), "must be without control characters");

/** Without parameters, as RFC 6838 (4.2) spells it. */
export const mime = z
  .string()
  .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i, "must be a type such as text/plain")
  .transform((type) => type.toLowerCase());

/** More than the most is cut down to it. */
export const expiresInHours = z
  .number()
  .positive()
  .transform((hours) => Math.min(hours, LIMITS.fileHours))
  .optional()
  .describe("Never unless given");
