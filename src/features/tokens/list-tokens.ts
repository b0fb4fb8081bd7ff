import { z } from "zod";
import { name } from "../../core/fields.ts";
import { fitPage, LIMITS, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { ownerScope } from "./own-agents.ts";
import { findTokens } from "./queries.ts";
import { tokenAnswer, toTokenAnswers } from "./token-answer.ts";

export const listTokens = defineOperation({
  name: "list_tokens",
  title: "List tokens",
  description:
    "Agents' tokens, newest first: whose, for what, until when, last used when and from where. Administrators see all, others those of their own agents.",
  kind: "query",
  needs: "mint",
  input: z.object({
    agent: name.optional(),
    live_only: z.boolean().default(false),
    before_id: z.string().max(LIMITS.handle).optional(),
    limit: pageSize(PAGES.tokens),
  }),
  output: z.object({
    count: z.int(),
    tokens: z.array(tokenAnswer),
    has_more: z.boolean(),
    next: z.string().nullable(),
  }),
  errors: [],
  untrusted: ["tokens[].label"],
  example: {},

  async run({ tx, caller, answerBytes }, { agent, live_only, before_id, limit }) {
    const { organization } = caller;
    const rows = await findTokens(tx, {
      organization,
      agent,
      owner: ownerScope(caller),
      liveOnly: live_only,
      beforeId: before_id,
      limit: limit + 1,
    });
    const { page, hasMore } = fitPage(await toTokenAnswers(tx, organization, rows), limit, answerBytes);
    return {
      count: page.length,
      tokens: [...page],
      has_more: hasMore,
      next: hasMore ? (page.at(-1)?.id ?? null) : null,
    };
  },
});
