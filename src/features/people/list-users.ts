import { z } from "zod";
import { fitPage, LIMITS, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { profile, toProfile } from "./profile-answer.ts";
import { listProfiles } from "./profile-queries.ts";

export const listUsers = defineOperation({
  name: "list_users",
  title: "List people",
  description: "The people of your organization with what each looks after, by user_id.",
  kind: "query",
  needs: "person_read",
  input: z.object({
    after: z.string().max(LIMITS.handle).default("").describe("Page: the last user_id seen"),
    limit: pageSize(PAGES.people),
  }),
  output: z.object({
    org_id: z.string(),
    count: z.int(),
    users: z.array(profile),
    has_more: z.boolean(),
    next: z.string().nullable(),
  }),
  errors: [],
  untrusted: ["users[].name", "users[].ownership[]", "users[].notes", "users[].profile_notes"],
  example: {},

  async run({ tx, caller, answerBytes }, { after, limit }) {
    const rows = await listProfiles(tx, caller.organization, after, limit + 1);
    const users = rows.map((row) => toProfile(row, caller));
    const { page, hasMore } = fitPage(users, limit, answerBytes);
    return {
      org_id: caller.organization,
      count: page.length,
      users: [...page],
      has_more: hasMore,
      next: hasMore ? (page.at(-1)?.user_id ?? null) : null,
    };
  },
});
