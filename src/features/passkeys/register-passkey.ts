import { z } from "zod";
import { parseAttestation, readRegistration, siteOf } from "../../access/passkeys.ts";
import { verifySignIn } from "../../access/sign-in.ts";
import { fail } from "../../core/errors.ts";
import { visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { isPasswordExposed } from "../people/password-queries.ts";
import { insertPasskey } from "./queries.ts";
import { registrationChallenge } from "./registration-challenge.ts";

export const registerPasskey = defineOperation({
  name: "register_passkey",
  title: "Register a passkey",
  description: "Registers a passkey of the person before the page; answers approved with it count as signed.",
  kind: "command",
  needs: "browser",
  notForAgents: true,
  input: z.object({
    label: visibleText(LIMITS.label),
    password: z.string().max(LIMITS.passwordBytes).describe("The person's own, asked for once more"),
    attestation: z.string().max(16_384).describe("What the browser gave, as JSON, for what list_passkeys says"),
  }),
  output: z.object({ registered: z.literal(true), passkey_id: z.string() }),
  errors: ["wrong_sign_in", "too_many_attempts", "too_many_calls", "password_exposed", "passkey_not_fit", "too_many"],
  example: { label: "laptop", password: "the person's own", attestation: "{}" },

  async prepare(context, input) {
    const { organization, handle } = context.caller;
    await verifySignIn(context, { organization, handle, password: input.password });
    const [site, given] = [siteOf(context.settings.url), parseAttestation(input.attestation)];
    const passkey = site && given && (await readRegistration(given, registrationChallenge(context.caller), site));
    if (!passkey) throw fail("passkey_not_fit");
    return passkey;
  },

  async run({ tx, caller, emit, settings }, { label }, passkey) {
    // Whoever knows the password could otherwise sign for good in the person's name.
    if (await isPasswordExposed(tx, caller))
      throw fail("password_exposed", { minimum: "signed", url: `${settings.url}/password` });
    if (!(await insertPasskey(tx, caller, passkey, label)))
      throw fail("too_many", { what: "passkeys of one person, each registered once", most: LIMITS.passkeysPerPerson });
    emit({ kind: "passkey_added", detail: `${passkey.id.slice(0, 12)}… ${label}`, concerns: [caller.handle] });
    return { registered: true as const, passkey_id: passkey.id };
  },
});
