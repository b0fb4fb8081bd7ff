import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { minimumOf } from "../questions/queries.ts";
import { approval, approvableUntil, hashOf, toApproval, untrustedIn } from "./approval-answer.ts";
import { LEVELS, levelOf } from "./model.ts";
import { findApproval, findPassword, markShown } from "./queries.ts";
import { sharesFor, sharingNamed } from "./sharing.ts";

export const showApproval = defineOperation({
  name: "show_approval",
  title: "Show what waits for approval",
  description:
    "The whole text that waits for your approval, who asked, and the hash to approve it by within 15 minutes.",
  kind: "command",
  needs: "self",
  notForAgents: true,
  input: z.object({ approval_id: z.string().max(64) }),
  output: approval.extend({
    state: z.enum(["open", "approved", "rejected", "void"]),
    approvable_until: isoMoment,
    shares: z.array(z.object({ share: z.string(), hash: z.string() })).describe("The hash for each sharing"),
    counts_as: z.enum(LEVELS).describe("What pressing here counts as, without a passkey"),
    minimum: z.enum(LEVELS),
    password_exposed: z.boolean(),
  }),
  errors: ["approval_not_found"],
  untrusted: untrustedIn(""),
  example: { approval_id: "apr_0123456789abcdefghijkl" },

  async run({ tx, caller }, { approval_id }) {
    const { organization, handle, roles } = caller;
    const row = await findApproval(tx, organization, handle, approval_id);
    if (!row) throw fail("approval_not_found", { approval: approval_id });
    await markShown(tx, organization, row.id);
    const exposed = (await findPassword(tx, organization, handle))?.exposed_at !== null;
    return {
      ...toApproval(row),
      state: row.state,
      approvable_until: toIso(approvableUntil(row, tx.now)),
      shares: sharesFor(caller).map((share) => ({ share, hash: hashOf(row, sharingNamed(caller, share)) })),
      counts_as: levelOf({ browser: roles.has("browser"), passkey: false, exposed }),
      minimum: await minimumOf(tx, organization),
      password_exposed: exposed,
    };
  },
});
