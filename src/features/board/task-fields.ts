import { z } from "zod";
import { text, visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { attachments } from "../files/attachments.ts";

/** No comma and nothing invisible, so that labels can be listed and typed. */
const label = visibleText(LIMITS.taskLabel).refine(
  (value) => /^[^,\p{C}]+$/u.test(value) && value.trim() === value,
  "must be without commas, control characters and outer spaces",
);
const link = z
  .string()
  .max(LIMITS.linkUrl)
  .refine(
    (value) => URL.canParse(value) && /^https?:\/\//i.test(value) && !/\s/.test(value),
    "must be an http or https address",
  );

export const taskId = z.int().min(1);
export const claimNumber = z.int().min(1);
export const expectedVersion = z.int().min(1).describe("The version you read");
export const labels = z.array(label).max(LIMITS.labelsPerTask);
/** A member of the room, `me`, or an empty text for nobody. */
export const person = z.string().max(LIMITS.handle);
export const reason = text(LIMITS.reason);

/** What a task is made of; a new one and a changed one take the same. */
export const taskFields = {
  body: text(LIMITS.taskBody).optional(),
  priority: z.int().min(0).max(4).optional().describe("0 urgent to 4"),
  labels: labels.optional(),
  links: z.array(link).max(LIMITS.linksPerTask).optional(),
  attachments: attachments.optional().describe("File ids"),
  depends_on: z.array(taskId).max(LIMITS.dependenciesPerTask).optional(),
  assignee: person.optional().describe("Reserves it for a member"),
  responsible: person.optional(),
  reviewer: person.optional().describe("Then finishing leads to in_review"),
} as const;

export const title = visibleText(LIMITS.taskTitle).transform((value) => value.trim());
export const noteBody = visibleText(LIMITS.noteBody);
