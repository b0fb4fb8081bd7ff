import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { type Caller, defineOperation } from "../../core/operation.ts";
import { type Level, suffices } from "../approval/model.ts";
import { policy } from "./policy-answer.ts";
import { findPolicy, updatePolicy } from "./policy-queries.ts";

export const setPolicy = defineOperation({
  name: "set_policy",
  title: "Set the organization's rules",
  description:
    "Sets how surely an answer must be approved by its person before it leaves, and who may invite people. Gives the rules as they are now.",
  kind: "command",
  needs: "organization_admin",
  input: policy.partial(),
  output: z.object({ ok: z.literal(true), policy }),
  errors: [],
  example: { minimum_assurance: "confirmed", invitations_by: "admins" },

  async run({ tx, caller, emit }, rules) {
    const given = Object.entries(rules).filter(([, value]) => value !== undefined);
    if (given.length === 0)
      throw fail("bad_input", {
        field: "",
        problem: `has nothing to set; give ${Object.keys(policy.shape).join(", ")}`,
      });
    const before = await findPolicy(tx, caller.organization);
    refuseLowering(caller, before.minimum_assurance, rules.minimum_assurance);
    const after = await updatePolicy(tx, caller.organization, rules);
    const changes = (["minimum_assurance", "invitations_by"] as const)
      .filter((rule) => before[rule] !== after[rule])
      .map((rule) => `${rule}: ${before[rule]} to ${after[rule]}`);
    if (changes.length > 0) emit({ kind: "policy_changed", detail: changes.join(", ") });
    return { ok: true as const, policy: after };
  },
});

/** What an agent may hold must not make way for itself: it takes the administrator in person to ask for less. */
function refuseLowering({ roles }: Caller, now: Level, wanted: Level | undefined) {
  if (wanted === undefined || suffices(wanted, now) || roles.has("set_passwords")) return;
  throw fail("not_allowed", {
    needs: "an administrator's own browser, or the server's shell: no token lowers how surely answers are approved",
  });
}
