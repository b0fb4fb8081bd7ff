import { z } from "zod";
import { visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { wordsOf } from "../../store/words.ts";
import { findAnswers } from "../search/answer-queries.ts";
import { reasonOf, scoreOf, weigh } from "./experts.ts";
import { listInteractions, listProfiles } from "./profile-queries.ts";

/** Answers that are looked at to see who gave them. */
const ANSWERS_SEEN = 100;
const CANDIDATES = 5;

export const whoShouldIAsk = defineOperation({
  name: "who_should_i_ask",
  title: "Find whom to ask",
  description: "Ranks coworkers for a question, each with its reasons. It sends nothing: choose, then ask_person.",
  kind: "query",
  needs: "person_read",
  input: z.object({ query: visibleText(LIMITS.searchQuery) }),
  output: z.object({
    org_id: z.string(),
    candidates: z.array(
      z.object({
        user_id: z.string(),
        name: z.string(),
        score: z.number(),
        breakdown: z.object({ ownership: z.number(), answers: z.number(), notes: z.number(), familiarity: z.number() }),
        reason: z.string(),
      }),
    ),
  }),
  errors: [],
  untrusted: ["candidates[].name"],
  example: { query: "retry logic of alpha-repo" },

  async run({ tx, caller }, { query }) {
    const { organization, handle, person = handle } = caller;
    const words = wordsOf(query, "asked").slice(0, LIMITS.searchWords);
    const answers = await findAnswers(tx, caller, { words, which: "any", limit: ANSWERS_SEEN });
    const answered = Map.groupBy(answers, (answer) => answer.recipient);
    const pairs = await listInteractions(tx, { organization, person, limit: LIMITS.peoplePerOrganization });
    const exchanged = new Map(pairs.map((pair) => [pair.other, pair.messages]));
    const people = await listProfiles(tx, organization, "", LIMITS.peoplePerOrganization);
    const candidates = people
      .filter((coworker) => coworker.handle !== person)
      .map((coworker) => {
        const known = {
          answers: answered.get(coworker.handle)?.length ?? 0,
          messages: exchanged.get(coworker.handle) ?? 0,
        };
        const breakdown = weigh(words, coworker, known);
        return {
          user_id: coworker.handle,
          name: coworker.display_name,
          score: scoreOf(breakdown),
          breakdown,
          reason: reasonOf(breakdown),
        };
      })
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score || (one.user_id < other.user_id ? -1 : 1));
    return { org_id: organization, candidates: candidates.slice(0, CANDIDATES) };
  },
});
