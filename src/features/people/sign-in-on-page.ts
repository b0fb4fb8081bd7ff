import { z } from "zod";
import { openSession, verifySignIn } from "../../access/sign-in.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";

export const signInOnPage = defineOperation({
  name: "sign_in_on_page",
  title: "Sign in on the page",
  description: "Signs a person in before a page of this hub; the session's secret is for that browser's cookie alone.",
  kind: "command",
  needs: "anyone",
  // Whatever is typed gets the one answer of a wrong sign-in, so nothing is looked at but that it is not endless.
  input: z.object({
    org_id: z.string().max(1_000),
    user_id: z.string().max(1_000),
    password: z.string(),
    device: z.string().optional().describe("Of a cookie that was found to be this person's"),
    browser: z.string().describe("What the browser calls itself"),
  }),
  output: z.object({ session: z.string(), organization: z.string(), handle: z.string(), expires_at: isoMoment }),
  errors: ["wrong_sign_in", "too_many_attempts", "too_many_calls"],
  secretFields: ["session"],
  example: { org_id: "main", user_id: "ann", password: "correct horse battery", browser: "" },

  prepare: (context, { org_id: organization, user_id: handle, password, device }) =>
    verifySignIn(context, { organization, handle, password, device }),

  async run(context, { browser }, verified) {
    const { address } = context.caller;
    const session = await openSession(context, { ...verified, kind: "web", label: browser, address, admin: true });
    const { organization, handle } = verified;
    return { session: session.secret, organization, handle, expires_at: toIso(session.expiresAt) };
  },
});
