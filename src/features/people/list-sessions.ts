import { z } from "zod";
import { isoMoment, name, toIso } from "../../core/fields.ts";
import { fitPage, LIMITS, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { listSessionsOf, type SessionRow } from "./session-queries.ts";
import { whoseSessions } from "./whose-sessions.ts";

const KINDS = { usr: "login", web: "browser", oat: "client" } as const;

const session = z.object({
  session_id: z.string(),
  kind: z.enum(["login", "browser", "client"]).describe("client: granted to a program in a browser"),
  label: z.string(),
  current: z.boolean().describe("The one of this very call"),
  created_at: isoMoment,
  expires_at: isoMoment.nullable(),
  last_seen: isoMoment.nullable(),
  last_address: z.string().nullable(),
});

export const listSessions = defineOperation({
  name: "list_sessions",
  title: "List sign-ins",
  description: "Where you are signed in, newest first: since when, and from where it was last used.",
  kind: "query",
  needs: "self",
  notForAgents: true,
  input: z.object({
    user_id: name.optional().describe("Another person's, for administrators"),
    before_id: z.string().max(LIMITS.handle).optional().describe("Page: the last session_id seen"),
    limit: pageSize(PAGES.sessions),
  }),
  output: z.object({
    user_id: z.string(),
    count: z.int(),
    sessions: z.array(session),
    has_more: z.boolean(),
    next: z.string().nullable(),
  }),
  errors: ["not_allowed", "person_not_found"],
  untrusted: ["sessions[].label"],
  example: {},

  async run(context, { user_id, before_id: before, limit }) {
    const { tx, caller, answerBytes } = context;
    const person = await whoseSessions(context, user_id);
    const rows = await listSessionsOf(tx, { organization: caller.organization, person, before, limit: limit + 1 });
    const sessions = rows.map((row) => toSession(row, caller.credential));
    const { page, hasMore } = fitPage(sessions, limit, answerBytes);
    return {
      user_id: person,
      count: page.length,
      sessions: [...page],
      has_more: hasMore,
      next: hasMore ? (page.at(-1)?.session_id ?? null) : null,
    };
  },
});

function toSession(row: SessionRow, current: string): z.input<typeof session> {
  return {
    session_id: row.id,
    kind: KINDS[row.kind],
    label: row.label,
    current: row.id === current,
    created_at: toIso(row.created_at),
    expires_at: toIso(row.expires_at),
    last_seen: toIso(row.last_seen_at),
    last_address: row.last_address,
  };
}
