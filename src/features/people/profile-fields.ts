import { z } from "zod";
import { text, visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";

/** What a person is called, besides its handle. */
export const personName = visibleText(LIMITS.personName);

/** What a person looks after. */
export const ownershipList = z
  .array(visibleText(LIMITS.ownershipItem))
  .max(LIMITS.ownershipItems)
  .describe("Areas, repositories, services");

export const personNotes = text(LIMITS.personNotes);
