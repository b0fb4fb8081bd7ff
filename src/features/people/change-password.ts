import { z } from "zod";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { prepareReplacement, replacePassword } from "./replace-password.ts";

export const changePassword = defineOperation({
  name: "change_password",
  title: "Change your password",
  description: "Sets another password for you and ends your other sign-ins.",
  kind: "command",
  needs: "self",
  notForAgents: true,
  input: z.object({
    old_password: z.string(),
    new_password: z.string().describe(`${LIMITS.passwordLeast} characters or more`),
  }),
  output: z.object({ changed: z.literal(true), sessions_ended: z.int(), important: z.string() }),
  errors: ["wrong_sign_in", "too_many_attempts", "too_many_calls"],
  example: { old_password: "correct horse battery", new_password: "another horse battery" },

  prepare: prepareReplacement,
  async run(context, _input, hashes) {
    return {
      changed: true as const,
      sessions_ended: await replacePassword(context, hashes, true),
      important: IMPORTANT,
    };
  },
});

const IMPORTANT =
  "It came through a program that may have kept it. To approve answers in your browser, choose one on the hub's page /password instead.";
