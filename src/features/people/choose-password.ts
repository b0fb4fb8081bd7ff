import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { prepareReplacement, replacePassword } from "./replace-password.ts";

export const choosePassword = defineOperation({
  name: "choose_password",
  title: "Choose a password on the page",
  description:
    "Sets another password for the person before the page, which no tool has seen, and ends its other sign-ins.",
  kind: "command",
  needs: "browser",
  input: z.object({ old_password: z.string(), new_password: z.string() }),
  output: z.object({ changed: z.literal(true), sessions_ended: z.int() }),
  errors: ["wrong_sign_in", "too_many_attempts", "too_many_calls"],
  example: { old_password: "correct horse battery", new_password: "another horse battery" },

  prepare: prepareReplacement,
  async run(context, _input, hashes) {
    return { changed: true as const, sessions_ended: await replacePassword(context, hashes, false) };
  },
});
