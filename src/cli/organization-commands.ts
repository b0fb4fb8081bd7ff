import type { Command } from "commander";
import type { z } from "zod";
import { name as nameField, toIso } from "../core/fields.ts";
import { fail } from "../core/errors.ts";
import { getAuditLog } from "../features/organizations/get-audit-log.ts";
import { makeOrganization } from "../features/organizations/make-organization.ts";
import { findPolicy } from "../features/organizations/policy-queries.ts";
import { listOrganizations } from "../features/organizations/queries.ts";
import { removeOrganization } from "../features/organizations/remove-organization.ts";
import { setPolicy } from "../features/organizations/set-policy.ts";
import { OPERATOR, OPERATOR_AUTHOR } from "../access/operator.ts";
import { FIRST_ORGANIZATION } from "../config.ts";
import { UsageError } from "./exit-codes.ts";
import { asOperator, withStore } from "./operator.ts";
import { table } from "./output.ts";
import { type OrganizationOption, type OutputOption, type Shell, withOrganization, withOutput } from "./shell.ts";

interface PolicyOptions extends OrganizationOption {
  readonly minimumAssurance?: z.input<typeof setPolicy.input>["minimum_assurance"];
  readonly invitationsBy?: z.input<typeof setPolicy.input>["invitations_by"];
}

/** `org add|list|policy|audit|delete`. */
export function addOrganizationCommands(program: Command, shell: Shell): void {
  const organization = program.command("org").description("organizations: nothing in one is visible in another");
  withOutput(organization.command("add").description("make an organization with its room lobby").argument("<id>"))
    .option("--name <text>", "its name in full")
    .action((id: string, options: OutputOption & { name?: string }) => addOrganization(shell, id, options));
  withOutput(organization.command("list").description("organizations")).action((options: OutputOption) =>
    showOrganizations(shell, options),
  );
  withOrganization(
    organization.command("policy").description("show an organization's rules, after setting what is given"),
  )
    .option("--minimum-assurance <level>", "how surely an answer is approved: asserted, prompted, confirmed or signed")
    .option("--invitations-by <who>", "admins or members")
    .action((options: PolicyOptions) => policy(shell, options));
  withOrganization(
    organization.command("audit").description("acts of administration and on credentials, newest first: all of them"),
  ).action((options: OrganizationOption) => showAudit(shell, options));
  withOutput(
    organization
      .command("delete")
      .description("remove an organization and everything in it, for ever")
      .argument("<id>"),
  )
    .option("--yes", "do it")
    .action((id: string, options: OutputOption & { yes?: true }) => deleteOrganization(shell, id, options));
}

async function addOrganization({ output }: Shell, id: string, { json, name = id }: OutputOption & { name?: string }) {
  const checked = nameField.safeParse(id);
  if (!checked.success) throw new UsageError(`The id ${checked.error.issues[0]?.message}.`);
  await withStore(async (store) => {
    const made = await store.write(id, (tx) => makeOrganization(tx, { id, name, by: OPERATOR_AUTHOR }));
    if (!made) throw fail("organization_exists", { organization: id });
  });
  if (json) return output.value({ created: true, organization: id, name });
  output.say(`Organization ${id} is made, with room lobby.`);
}

async function showOrganizations({ output }: Shell, { json }: OutputOption) {
  const rows = await withStore((store) => store.read(listOrganizations));
  const organizations = rows.map((row) => ({
    id: row.id,
    name: row.name,
    created_ts: toIso(row.created_at),
    head: row.position,
    epoch: row.epoch,
  }));
  if (json) return output.value({ count: organizations.length, organizations });
  output.say(
    table(
      ["ID", "NAME", "CREATED", "EVENTS"],
      organizations.map((row) => [row.id, row.name, row.created_ts, String(row.head)]),
    ),
  );
}

async function policy({ output }: Shell, { json, org, minimumAssurance, invitationsBy }: PolicyOptions) {
  const given = {
    ...(minimumAssurance !== undefined && { minimum_assurance: minimumAssurance }),
    ...(invitationsBy !== undefined && { invitations_by: invitationsBy }),
  };
  const rules = await asOperator(org, async (operator) =>
    Object.keys(given).length === 0
      ? operator.store.read((tx) => findPolicy(tx, org))
      : (await operator.call(setPolicy, given)).policy,
  );
  if (json) return output.value(rules);
  const inviters = rules.invitations_by === "admins" ? "Administrators alone" : "All people";
  output.say(`An answer leaves when it is ${rules.minimum_assurance}, at least. ${inviters} may invite.`);
}

async function deleteOrganization({ output }: Shell, id: string, { json, yes }: OutputOption & { yes?: true }) {
  if (!yes)
    throw new UsageError(
      `This removes organization ${id} with its people, agents, rooms, questions and log, for ever. Repeat with --yes.`,
    );
  await withStore((store) => removeOrganization(store, id, OPERATOR));
  if (json) return output.value({ deleted: true, organization: id });
  const again = id === FIRST_ORGANIZATION ? " The next start makes an empty one of that name." : "";
  output.say(`Organization ${id} is removed.${again}`);
}

async function showAudit({ output }: Shell, { json, org }: OrganizationOption) {
  const events = await asOperator(org, async (operator) => {
    const all: z.output<typeof getAuditLog.output>["events"] = [];
    for (let before_id: number | undefined; ;) {
      const page = await operator.call(getAuditLog, { before_id, limit: 500 });
      all.push(...page.events);
      if (page.next === null) return all;
      before_id = page.next;
    }
  });
  if (json) return output.value({ count: events.length, events });
  const rows = events.map(({ at, actor, kind, detail, credential, address }) => [
    at,
    actor,
    kind,
    credential ?? "",
    address,
    detail,
  ]);
  output.say(table(["WHEN", "WHO", "WHAT", "CREDENTIAL", "FROM", "DETAIL"], rows));
}
