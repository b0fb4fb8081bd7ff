import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { isPasswordExposed } from "./password-queries.ts";
import { prepareReplacement, replacePassword } from "./replace-password.ts";

export const choosePassword = defineOperation({
  name: "choose_password",
  title: "Choose a password on the page",
  description:
    "Sets another password for the person before the page, which no tool has seen, and ends its other sign-ins. Where a tool knew the former one, so may whoever chose this: on a hub that others reach it counts no more, until a link sets another.",
  kind: "command",
  needs: "browser",
  input: z.object({ old_password: z.string(), new_password: z.string() }),
  output: z.object({ changed: z.literal(true), sessions_ended: z.int(), password_exposed: z.boolean() }),
  errors: ["wrong_sign_in", "too_many_attempts", "too_many_calls"],
  example: { old_password: "correct horse battery", new_password: "another horse battery" },

  prepare: prepareReplacement,
  async run(context, _input, hashes) {
    const { tx, caller } = context;
    // On its own machine an agent with a shell has the database as well: there the mark would guard nothing.
    const exposed = !caller.roles.has("own_machine") && (await isPasswordExposed(tx, caller));
    const ended = await replacePassword(context, hashes, exposed);
    return { changed: true as const, sessions_ended: ended, password_exposed: exposed };
  },
});
