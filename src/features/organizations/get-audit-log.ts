import { z } from "zod";
import { AUDITED, type EventKind } from "../../core/events.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { fitPage, LIMITS, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { listAudited } from "./audit-queries.ts";

const isAudited = (kind: string): kind is EventKind => AUDITED.has(kind as EventKind);

export const getAuditLog = defineOperation({
  name: "get_audit_log",
  title: "Read the audit log",
  description:
    "Every act of administration and on credentials, newest first: who, with which credential, from where, what, when.",
  kind: "query",
  needs: "organization_admin",
  input: z.object({
    before_id: z.int().min(1).optional().describe("Page: the last id seen"),
    limit: pageSize(PAGES.audit),
    actor: z.string().max(LIMITS.handle).optional(),
    kind: z
      .string()
      .refine(isAudited, `must be one of ${[...AUDITED].join(", ")}`)
      .optional(),
  }),
  output: z.object({
    count: z.int(),
    events: z.array(
      z.object({
        id: z.int(),
        at: isoMoment,
        kind: z.string(),
        actor: z.string(),
        credential: z.string().nullable(),
        address: z.string(),
        detail: z.string(),
        concerns: z.array(z.string()),
      }),
    ),
    has_more: z.boolean(),
    next: z.int().nullable(),
  }),
  errors: [],
  untrusted: ["events[].detail"],
  example: {},

  async run({ tx, caller, answerBytes }, { before_id, limit, actor, kind }) {
    const query = { organization: caller.organization, before: before_id, actor, kind, limit: limit + 1 };
    const events = (await listAudited(tx, query)).map(({ position, at, concerns, ...row }) => ({
      id: position,
      at: toIso(at),
      ...row,
      concerns: concerns === "" ? [] : concerns.split(" "),
    }));
    const { page, hasMore } = fitPage(events, limit, answerBytes);
    return {
      count: page.length,
      events: [...page],
      has_more: hasMore,
      next: hasMore ? (page.at(-1)?.id ?? null) : null,
    };
  },
});
