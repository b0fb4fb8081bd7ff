import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import { fitPage, LIMITS, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { invitationScope, listInvitationsBefore } from "./invitation-queries.ts";

export const listInvitations = defineOperation({
  name: "list_invitations",
  title: "List invitations",
  description:
    "Links that can still be used, newest first, without their secrets: administrators see all, others their own.",
  kind: "query",
  needs: "invite",
  notForAgents: true,
  input: z.object({
    before_id: z.string().max(LIMITS.handle).optional().describe("Page: the last invitation_id seen"),
    limit: pageSize(PAGES.people),
  }),
  output: z.object({
    count: z.int(),
    invitations: z.array(
      z.object({
        invitation_id: z.string(),
        purpose: z.enum(["join", "password"]),
        user_id: z.string().nullable(),
        name: z.string(),
        role: z.enum(["member", "admin"]),
        invited_by: z.string(),
        expires_at: isoMoment,
      }),
    ),
    has_more: z.boolean(),
    next: z.string().nullable(),
  }),
  errors: [],
  untrusted: ["invitations[].name"],
  example: {},

  async run({ tx, caller, answerBytes }, { before_id, limit }) {
    const rows = await listInvitationsBefore(tx, invitationScope(caller), before_id, limit + 1);
    const invitations = rows.map((row) => ({
      invitation_id: row.id,
      purpose: row.purpose,
      user_id: row.handle,
      name: row.display_name,
      role: row.role,
      invited_by: row.created_by,
      expires_at: toIso(row.expires_at),
    }));
    const { page, hasMore } = fitPage(invitations, limit, answerBytes);
    return {
      count: page.length,
      invitations: [...page],
      has_more: hasMore,
      next: hasMore ? (page.at(-1)?.invitation_id ?? null) : null,
    };
  },
});
