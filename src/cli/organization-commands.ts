import type { Command } from "commander";
import { name as nameField, toIso } from "../core/fields.ts";
import { fail } from "../core/errors.ts";
import { makeOrganization } from "../features/organizations/make-organization.ts";
import { listOrganizations } from "../features/organizations/queries.ts";
import { OPERATOR_AUTHOR } from "../access/operator.ts";
import { UsageError } from "./exit-codes.ts";
import { withStore } from "./operator.ts";
import { table } from "./output.ts";
import { type OutputOption, type Shell, withOutput } from "./shell.ts";

/** `org add|list`. */
export function addOrganizationCommands(program: Command, shell: Shell): void {
  const organization = program.command("org").description("organizations: nothing in one is visible in another");
  withOutput(organization.command("add").description("make an organization with its room lobby").argument("<id>"))
    .option("--name <text>", "its name in full")
    .action((id: string, options: OutputOption & { name?: string }) => addOrganization(shell, id, options));
  withOutput(organization.command("list").description("organizations")).action((options: OutputOption) =>
    showOrganizations(shell, options),
  );
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
