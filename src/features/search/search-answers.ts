import { z } from "zod";
import { isoMoment, toIso, visibleText } from "../../core/fields.ts";
import { fitPage, LIMITS, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { wordsOf } from "../../store/words.ts";
import { type AnswerRow, findAnswers } from "./answer-queries.ts";

const found = z.object({
  message_id: z.int(),
  from_user_id: z.string(),
  answered_by: z.string(),
  question: z.string(),
  answer: z.string(),
  answered_at: isoMoment,
  shared: z.enum(["no", "organization", "room"]),
  assurance: z.string().nullable().describe("How surely its person approved it"),
});

export const searchAnswers = defineOperation({
  name: "search_answers",
  title: "Search answers",
  description: "Answers given before that you may see and that have all of these words, newest first.",
  kind: "query",
  needs: "person_read",
  input: z.object({
    query: visibleText(LIMITS.searchQuery),
    before_id: z.int().min(1).optional().describe("Page: the last message_id seen"),
    limit: pageSize(PAGES.answers),
  }),
  output: z.object({
    count: z.int(),
    answers: z.array(found),
    has_more: z.boolean(),
    next: z.object({ before_id: z.int() }).nullable(),
  }),
  errors: [],
  untrusted: ["answers[].question", "answers[].answer"],
  example: { query: "retry logic" },

  async run({ tx, caller, answerBytes }, { query, before_id, limit }) {
    const words = wordsOf(query, "asked").slice(0, LIMITS.searchWords);
    const asked = { words, which: "all", before: before_id, limit: limit + 1 } as const;
    const rows = await findAnswers(tx, caller, asked);
    const { page, hasMore } = fitPage(rows.map(toFound), limit, answerBytes);
    const last = page.at(-1);
    return {
      count: page.length,
      answers: [...page],
      has_more: hasMore,
      next: hasMore && last ? { before_id: last.message_id } : null,
    };
  },
});

function toFound(row: AnswerRow): z.input<typeof found> {
  return {
    message_id: row.number,
    from_user_id: row.asker,
    answered_by: row.recipient,
    question: row.question,
    answer: row.answer,
    answered_at: toIso(row.answered_at),
    shared: row.shared,
    assurance: row.level,
  };
}
