import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { text } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { returnDraft } from "../questions/move-queries.ts";
import { findApproval, rejectRequest } from "./queries.ts";

export const rejectDraft = defineOperation({
  name: "reject_draft",
  title: "Reject a draft",
  description: "Refuses to approve a draft; your agent sees why and may write another. Nothing is sent.",
  kind: "command",
  needs: "self",
  notForAgents: true,
  input: z.object({ approval_id: z.string().max(64), reason: text(LIMITS.reason).optional() }),
  output: z.object({ rejected: z.literal(true), message_id: z.int() }),
  errors: ["approval_not_found", "approval_closed", "approval_expired"],
  example: { approval_id: "apr_0123456789abcdefghijkl", reason: "It is two since March." },

  async run({ tx, caller, emit }, { approval_id, reason = "" }) {
    const { organization, handle } = caller;
    const request = await findApproval(tx, organization, handle, approval_id);
    if (!request) throw fail("approval_not_found", { approval: approval_id });
    if (!(await rejectRequest(tx, caller, request, reason)))
      throw request.state === "open" ? fail("approval_expired") : fail("approval_closed", { state: request.state });
    const row = await returnDraft(tx, caller, request.number);
    if (!row) throw new Error(`Question ${request.number} does not wait for what was rejected as ${request.id}.`);
    const { requested_by, number } = request;
    const concerns = requested_by === handle ? [] : [requested_by];
    emit({ kind: "draft_rejected", question: number, detail: reason, content: reason, only: [handle], concerns });
    return { rejected: true as const, message_id: number };
  },
});
