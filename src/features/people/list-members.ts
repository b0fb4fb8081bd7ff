import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import { fitPage, LIMITS, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { listMembersAfter, listRoomsOfPersons, type MemberRow } from "./member-queries.ts";

const member = z.object({
  user_id: z.string(),
  kind: z.enum(["person", "agent", "webhook"]),
  name: z.string(),
  owner: z.string().nullable(),
  role: z.enum(["member", "admin"]).nullable(),
  rooms: z.array(z.string()).describe("A person's; an agent's are those of its tokens"),
  password: z.enum(["none", "known to tools", "chosen"]).nullable(),
  profile_notes: z.string().nullable(),
  created_at: isoMoment,
  deactivated_at: isoMoment.nullable(),
  last_seen: isoMoment.nullable(),
});

export const listMembers = defineOperation({
  name: "list_members",
  title: "List members",
  description: "For administrators: everybody, people and agents, those who are gone too.",
  kind: "query",
  needs: "organization_admin",
  notForAgents: true,
  input: z.object({
    after: z.string().max(LIMITS.handle).default("").describe("Page: the last user_id seen"),
    limit: pageSize(PAGES.people),
  }),
  output: z.object({
    count: z.int(),
    members: z.array(member),
    has_more: z.boolean(),
    next: z.string().nullable(),
  }),
  errors: [],
  untrusted: ["members[].name", "members[].profile_notes"],
  example: {},

  async run({ tx, caller, answerBytes }, { after, limit }) {
    const rows = await listMembersAfter(tx, caller.organization, after, limit + 1);
    const persons = rows.filter((row) => row.role !== null).map((row) => row.handle);
    const rooms = await listRoomsOfPersons(tx, caller.organization, persons);
    const members = rows.map((row) => toMember(row, rooms.get(row.handle) ?? []));
    const { page, hasMore } = fitPage(members, limit, answerBytes);
    return {
      count: page.length,
      members: [...page],
      has_more: hasMore,
      next: hasMore ? (page.at(-1)?.user_id ?? null) : null,
    };
  },
});

function toMember(row: MemberRow, rooms: readonly string[]): z.input<typeof member> {
  return {
    user_id: row.handle,
    kind: row.kind,
    name: row.display_name,
    owner: row.owner,
    role: row.role,
    rooms: [...rooms],
    password: row.role === null ? null : passwordState(row),
    profile_notes: row.profile_notes,
    created_at: toIso(row.created_at),
    deactivated_at: toIso(row.deactivated_at),
    last_seen: toIso(row.last_seen_at),
  };
}

function passwordState({ password_set_at, exposed_at }: MemberRow): "none" | "known to tools" | "chosen" {
  if (password_set_at === null) return "none";
  return exposed_at === null ? "chosen" : "known to tools";
}
