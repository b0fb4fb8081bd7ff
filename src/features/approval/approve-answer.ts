import { z } from "zod";
import { fail, type HubError } from "../../core/errors.ts";
import { type Context, defineOperation, type PrepareContext } from "../../core/operation.ts";
import { checkAssertion } from "../passkeys/check-assertion.ts";
import { markPasskeyUsed } from "../passkeys/queries.ts";
import { findQuestion, isRecipient, minimumOf } from "../questions/queries.ts";
import { approvePage, hashOf, sentAnswer } from "./approval-answer.ts";
import { deliver, toSent } from "./deliver.ts";
import { fitsPrompt, levelOf, type Means, type Obstacle, obstacleTo, type Press, traitsOf } from "./model.ts";
import { type ApprovalRow, findAnswer, findApproval, findPassword } from "./queries.ts";
import { share, sharingNamed } from "./sharing.ts";

export const approveAnswer = defineOperation({
  name: "approve_answer",
  title: "Approve an answer",
  description:
    "Approves exactly the text that was shown and sends it. In a browser it counts as confirmed, with the password elsewhere as prompted.",
  kind: "command",
  needs: "self",
  notForAgents: true,
  input: z.object({
    approval_id: z.string().max(64),
    hash: z.string().max(64).describe("Of what show_approval showed"),
    password: z.string().max(1_024).optional().describe("Where there is no browser"),
    share: share.describe("no, organization or room:<name>"),
    assertion: z.string().max(16_384).optional().describe("A passkey's, as JSON, over the hash"),
  }),
  output: sentAnswer,
  errors: [
    "approval_not_found",
    "approval_closed",
    "approval_expired",
    "approval_changed",
    "approval_stale",
    "level_too_low",
    "password_exposed",
    "page_only",
    "passkey_not_fit",
    "wrong_sign_in",
    "too_many_attempts",
  ],
  example: { approval_id: "apr_0123456789abcdefghijkl", hash: "0".repeat(64), password: "the person's own" },

  prepare: async (context, { password, assertion, hash }) => {
    const browser = context.caller.roles.has("browser");
    if (!browser) await checkPassword(context, password);
    return {
      browser,
      signed: assertion === undefined ? undefined : await checkAssertion(context, { hash, assertion }),
    };
  },

  async run(context, { approval_id, hash, share }, { browser, signed }) {
    const { tx, caller } = context;
    const request = await findApproval(tx, caller.organization, caller.handle, approval_id);
    if (!request) throw fail("approval_not_found", { approval: approval_id });
    if (request.state === "approved") return sentBefore(context, request);
    const sharing = sharingNamed(caller, share);
    const password = await findPassword(tx, caller.organization, caller.handle);
    const means: Means = { browser, passkey: signed !== undefined, exposed: password?.exposed_at !== null };
    const level = levelOf(means);
    const minimum = await minimumOf(tx, caller.organization);
    const press: Press = { person: caller.handle, hash, level, minimum, needsShowing: true };
    const obstacle = obstacleTo({ ...request, hash: hashOf(request, sharing) }, press, tx.now);
    if (obstacle) throw refusalOf(context, request, { obstacle, press, means, current: hashOf(request, sharing) });
    if (!browser && !fitsPrompt(traitsOf(request.text)))
      throw fail("page_only", { url: approvePage(context.settings.url, request.id) });
    // Removed, or used elsewhere, since it was checked.
    if (signed && !(await markPasskeyUsed(tx, caller, signed))) throw fail("passkey_not_fit");
    return deliver(context, request, {
      level,
      by: caller.handle,
      sharing,
      proof: level === "signed" ? signed?.proof : undefined,
    });
  },
});

/** A bearer token is no approval, whosever it is: where there is no browser, the password is asked for each time. */
async function checkPassword({ caller, passwords, read }: PrepareContext, password: string | undefined) {
  if (password === undefined)
    throw fail("not_allowed", { needs: "the person's own browser, or its password: no token of any kind approves" });
  const { organization, handle, address, credential } = caller;
  const person = await read((tx) => findPassword(tx, organization, handle));
  const attempt = { account: `${organization}/${handle}`, address, known: credential };
  if (!(await passwords.check(password, person?.password_hash, attempt))) throw fail("wrong_sign_in");
}

/** Pressed twice is approved once, and told twice. */
async function sentBefore({ tx, caller }: Context, request: ApprovalRow): Promise<z.input<typeof sentAnswer>> {
  const row = await findQuestion(tx, isRecipient(caller), request.number);
  const answer = await findAnswer(tx, caller.organization, request.number);
  if (!row || !answer) throw new Error(`What was approved as ${request.id} is not there.`);
  return toSent(row, answer.level);
}

interface Refused {
  readonly obstacle: Obstacle;
  readonly press: Press;
  readonly means: Means;
  readonly current: string;
}

function refusalOf(
  { settings }: Context,
  request: ApprovalRow,
  { obstacle, press, means, current }: Refused,
): HubError {
  const { level, minimum } = press;
  switch (obstacle) {
    case "not_yours":
      return fail("approval_not_found", { approval: request.id });
    case "closed":
      return fail("approval_closed", { state: request.state });
    case "expired":
      return fail("approval_expired");
    case "changed":
      return fail("approval_changed", { hash: current });
    case "not_shown":
      return fail("approval_stale");
    case "too_low":
      if (means.browser && means.exposed) return fail("password_exposed", { minimum, url: `${settings.url}/password` });
      return fail("level_too_low", { level, minimum, url: approvePage(settings.url, request.id) });
  }
}
