import { z } from "zod";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { type Caller, defineOperation } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { toProfile } from "../people/profile-answer.ts";
import { listProfilesNamed } from "../people/profile-queries.ts";
import { toWaiting, UNTRUSTED_IN_WAITING, waiting } from "./question-answer.ts";
import { listWaiting, type WaitingRow } from "./queries.ts";

export const checkInbox = defineOperation({
  name: "check_inbox",
  title: "Check the inbox",
  description:
    "The questions your person is asked and has not answered, oldest first, with drafts and who asks. Changes nothing.",
  kind: "query",
  needs: "person_read",
  input: z.object({
    since_id: z.int().min(0).default(0).describe("Only after this question"),
    limit: pageSize(PAGES.questions),
  }),
  output: z.object({
    user: z.string(),
    count: z.int(),
    pending: z.array(waiting),
    has_more: z.boolean(),
    next: z.object({ since_id: z.int() }).nullable(),
  }),
  errors: [],
  untrusted: UNTRUSTED_IN_WAITING,
  example: {},

  async run({ tx, caller, settings, answerBytes }, { since_id, limit }) {
    const rows = await listWaiting(tx, caller, since_id, limit + 1);
    const profiles = await profilesOfAskers(tx, caller, rows);
    const items = rows.map((row) => toWaiting(row, profiles.get(row.asker), settings.url));
    const { page, hasMore } = fitPage(items, limit, answerBytes);
    const last = page.at(-1);
    return {
      user: caller.person ?? caller.handle,
      count: page.length,
      pending: [...page],
      has_more: hasMore,
      next: hasMore && last ? { since_id: last.id } : null,
    };
  },
});

/** Agents that ask in their own name have no profile. */
async function profilesOfAskers(tx: Tx, caller: Caller, rows: readonly WaitingRow[]) {
  const askers = [...new Set(rows.map((row) => row.asker))];
  const profiles = await listProfilesNamed(tx, caller.organization, askers);
  return new Map(profiles.map((row) => [row.handle, toProfile(row, caller)]));
}
