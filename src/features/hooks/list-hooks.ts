import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { hookAnswer, toHookAnswer } from "./hook-answer.ts";
import { listHooksOf } from "./queries.ts";

export const listHooks = defineOperation({
  name: "list_hooks",
  title: "List webhooks",
  description:
    "What goes out of the organization by itself and what comes in, oldest first, and what is wrong with it.",
  kind: "query",
  needs: "organization_admin",
  notForAgents: true,
  input: z.object({}),
  output: z.object({ count: z.int(), hooks: z.array(hookAnswer) }),
  errors: [],
  untrusted: ["hooks[].label", "hooks[].url"],
  example: {},

  async run({ tx, caller, settings }) {
    const hooks = (await listHooksOf(tx, caller.organization)).map((row) => toHookAnswer(row, settings.url));
    return { count: hooks.length, hooks };
  },
});
