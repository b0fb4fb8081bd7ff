import { z } from "zod";
import { openSession, verifySignIn } from "../../access/sign-in.ts";
import { isoMoment, name as idField, noteOnSecrets, toIso } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { exposePassword } from "./password-queries.ts";
import { profile, toProfile } from "./profile-answer.ts";
import { findProfile } from "./profile-queries.ts";

export const login = defineOperation({
  name: "login",
  title: "Sign in",
  description:
    "Signs a person in by password. Use the auth_token it gives in the calls that follow, and do not ask for the password again.",
  kind: "command",
  needs: "anyone",
  input: z.object({ org_id: idField, user_id: idField, password: z.string() }),
  output: z.object({
    note: noteOnSecrets,
    logged_in: z.literal(true),
    auth_token: z.string().nullable().describe("Null when a call is repeated under its idempotency key"),
    profile,
    expires_at: isoMoment,
    important: z.string(),
    assistant_instruction: z.string(),
  }),
  errors: ["wrong_sign_in", "too_many_attempts", "too_many_calls"],
  untrusted: ["profile.name", "profile.ownership[]", "profile.notes"],
  secretFields: ["auth_token"],
  example: { org_id: "main", user_id: "ann", password: "correct horse battery" },

  prepare: (context, { org_id: organization, user_id: handle, password }) =>
    verifySignIn(context, { organization, handle, password }),

  async run(context, _input, verified) {
    const { tx, caller } = context;
    const { organization, handle } = verified;
    const session = await openSession(context, {
      ...verified,
      kind: "usr",
      label: "login",
      address: caller.address,
      admin: true,
    });
    await exposePassword(tx, organization, handle);
    const row = await findProfile(tx, organization, handle);
    if (!row) throw new Error(`${handle} signed in and is not there.`);
    return {
      logged_in: true as const,
      auth_token: session.secret,
      profile: toProfile(row, { roles: new Set() }),
      expires_at: toIso(session.expiresAt),
      important: IMPORTANT,
      assistant_instruction: INSTRUCTION,
    };
  },
});

const IMPORTANT = `auth_token is a secret, good for ${LIMITS.sessionDays} days or until logout. The password has passed through a tool now: to approve answers, choose another one on the hub's page /password.`;
const INSTRUCTION =
  "Keep auth_token for this conversation and pass it with every call that takes it. Never show it or write it down, and ask for the password again only when a call says not_signed_in.";
