import { z } from "zod";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { approval, toApproval, untrustedIn } from "./approval-answer.ts";
import { listOpenApprovals } from "./queries.ts";

export const listApprovals = defineOperation({
  name: "list_approvals",
  title: "List what waits for approval",
  description: "The drafts that wait for your person's approval, whole, in the order of their questions.",
  kind: "query",
  needs: "person_read",
  notForAgents: true,
  input: z.object({
    approval_id: z.string().max(64).optional().describe("Only this one"),
    since_id: z.int().min(0).default(0).describe("Only after this question"),
    limit: pageSize(PAGES.questions),
  }),
  output: z.object({
    count: z.int(),
    approvals: z.array(approval),
    has_more: z.boolean(),
    next: z.object({ since_id: z.int() }).nullable(),
  }),
  errors: [],
  untrusted: untrustedIn("approvals[]."),
  example: {},

  async run({ tx, caller, answerBytes }, { approval_id, since_id, limit }) {
    const { organization, handle, person = handle } = caller;
    const which = { id: approval_id, since: since_id, limit: limit + 1 };
    const rows = await listOpenApprovals(tx, organization, person, which);
    const { page, hasMore } = fitPage(rows.map(toApproval), limit, answerBytes);
    const last = page.at(-1);
    return {
      count: page.length,
      approvals: [...page],
      has_more: hasMore,
      next: hasMore && last ? { since_id: last.message_id } : null,
    };
  },
});
