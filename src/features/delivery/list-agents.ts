import { z } from "zod";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { toIso } from "../../core/fields.ts";
import { listAgentsOf } from "./queries.ts";
import { reachFields, reachOfMembers } from "./reach.ts";

export const listAgents = defineRoomOperation({
  name: "list_agents",
  title: "List members",
  description:
    "Who can enter the room, when each was last seen, and by which paths it can be reached now (none: it reads later; pull_only: nothing wakes it).",
  kind: "query",
  needs: "read",
  input: z.object({
    after: z.string().optional().describe("Only handles after this one"),
    limit: pageSize(PAGES.agents),
  }),
  output: z.object({
    room: z.string(),
    you_are: z.string(),
    count: z.int(),
    agents: z.array(
      z.object({
        agent: z.string(),
        kind: z.string(),
        display_name: z.string(),
        owner: z.string().nullable().describe("The person it acts for"),
        last_seen: reachFields.last_seen,
        is_you: z.boolean(),
        paths: reachFields.paths,
        pull_only: reachFields.pull_only,
        why_not: reachFields.why_not,
      }),
    ),
    has_more: z.boolean(),
    next: z.object({ after: z.string() }).nullable(),
  }),
  errors: [],
  untrusted: ["agents[].display_name"],
  example: {},

  async run({ tx, caller, room, answerBytes }, { after = "", limit }) {
    const members = await listAgentsOf(tx, caller.organization, room.id, after, limit + 1);
    const reachOf = await reachOfMembers(
      tx,
      caller.organization,
      members.map((member) => member.handle),
    );
    const answers = members.map(({ handle, kind, display_name, owner, last_seen_at }) => {
      const { last_seen, ...reach } = reachOf(handle);
      const seen = Math.max(last_seen === null ? 0 : Date.parse(last_seen), last_seen_at ?? 0);
      return {
        agent: handle,
        kind,
        display_name,
        owner,
        last_seen: seen === 0 ? null : toIso(seen),
        is_you: handle === caller.handle,
        ...reach,
      };
    });
    const { page, hasMore } = fitPage(answers, limit, answerBytes);
    const last = page.at(-1);
    const next = hasMore && last ? { after: last.agent } : null;
    return { room: room.name, you_are: caller.handle, count: page.length, agents: [...page], has_more: hasMore, next };
  },
});
