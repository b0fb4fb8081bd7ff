import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { momentOf, name, visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";

export const questionId = z.int().min(1);
export const userId = name;
export const answerText = visibleText(LIMITS.answerText);

/** What is asked; a first question and one that follows up take the same. */
export const questionFields = {
  question: visibleText(LIMITS.questionText),
  options: z
    .array(visibleText(LIMITS.questionOption))
    .max(LIMITS.questionOptions)
    .optional()
    .describe("Answers to choose from"),
  deadline: z.string().optional().describe("ISO time with a zone; 7 days unless given"),
} as const;

const DAY_MS = 86_400_000;

/**
 * The moment (ms) at which a question expires that is asked at `now`.
 *
 * @throws HubError `bad_input`
 */
export function deadlineFrom(now: number, given: string | undefined): number {
  if (given === undefined) return now + LIMITS.questionDays * DAY_MS;
  const deadline = momentOf("deadline", given);
  if (deadline <= now) throw fail("bad_input", { field: "deadline", problem: "must be in the future" });
  if (deadline > now + LIMITS.questionMostDays * DAY_MS)
    throw fail("bad_input", { field: "deadline", problem: `must be within ${LIMITS.questionMostDays} days` });
  return deadline;
}
