import type { Level } from "../approval/model.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** Who may ask newcomers in: administrators alone, or everybody (as members). */
export const INVITERS = ["admins", "members"] as const;

/** The rules that an organization sets itself. */
export interface Policy {
  readonly minimum_assurance: Level;
  readonly invitations_by: (typeof INVITERS)[number];
}

export async function findPolicy(tx: Tx, organization: string): Promise<Policy> {
  const row = await tx.one<Policy>(sql`
    select minimum_assurance, invitations_by
    from organizations
    where id = ${organization}`);
  if (!row) throw new Error(`Organization ${organization} is not there.`);
  return row;
}

/** Sets what is given and gives the rules as they are then. */
export async function updatePolicy(
  tx: Tx,
  organization: string,
  rules: { readonly [Rule in keyof Policy]?: Policy[Rule] | undefined },
): Promise<Policy> {
  const row = await tx.one<Policy>(sql`
    update organizations
    set minimum_assurance = coalesce(${rules.minimum_assurance ?? null}, minimum_assurance),
      invitations_by = coalesce(${rules.invitations_by ?? null}, invitations_by)
    where id = ${organization}
    returning minimum_assurance, invitations_by`);
  if (!row) throw new Error(`Organization ${organization} is not there.`);
  return row;
}
