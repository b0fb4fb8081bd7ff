import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { notice, toNotice } from "./notice-answer.ts";
import { listNoticesOf } from "./queries.ts";

export const listNotices = defineOperation({
  name: "list_notices",
  title: "List how you are told",
  description: "By what you are told when something waits for you, and what a browser needs to be told by push.",
  kind: "query",
  needs: "self",
  notForAgents: true,
  input: z.object({}),
  output: z.object({
    count: z.int(),
    notices: z.array(notice),
    push_key: z.string().describe("The hub's application server key, for subscribing to push"),
  }),
  errors: [],
  untrusted: [],
  example: {},

  async run({ tx, caller, settings }) {
    const notices = (await listNoticesOf(tx, caller)).map(toNotice);
    return { count: notices.length, notices, push_key: settings.pushKey() };
  },
});
