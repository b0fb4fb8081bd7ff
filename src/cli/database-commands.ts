import { resolve } from "node:path";
import type { Command } from "commander";
import { OPERATOR_AUTHOR } from "../access/operator.ts";
import { FIRST_ORGANIZATION, listSettings, type Settings } from "../config.ts";
import { makeOrganization } from "../features/organizations/make-organization.ts";
import { MIGRATIONS } from "../store/migrate.ts";
import { withStore } from "./operator.ts";
import { table } from "./output.ts";
import { type OutputOption, type Shell, withOutput } from "./shell.ts";

/** `init`, `migrate` and `settings`. */
export function addDatabaseCommands(program: Command, shell: Shell): void {
  withOutput(
    program.command("init").description("make the database and its first organization; serve does it too"),
  ).action((options: OutputOption) => init(shell, options));
  withOutput(
    program.command("migrate").description("bring the database to this version's schema; serve does it too"),
  ).action((options: OutputOption) => migrate(shell, options));
  withOutput(program.command("settings").description("every setting, its value and where it comes from")).action(
    (options: OutputOption) => showSettings(shell, options),
  );
}

/** The database as a person knows it: the file, or the server without its password. */
export function databaseName({ DATABASE_URL, CREWROOM_DB }: Settings): string {
  if (!DATABASE_URL) return `SQLite, ${resolve(CREWROOM_DB)}`;
  const { host, pathname } = new URL(DATABASE_URL);
  return `Postgres, ${host}${pathname}`;
}

async function init({ output }: Shell, { json }: OutputOption) {
  const made = await withStore(
    async (store, settings) => {
      const organization = { id: FIRST_ORGANIZATION, name: "Main", by: OPERATOR_AUTHOR };
      return {
        created: await store.write(FIRST_ORGANIZATION, (tx) => makeOrganization(tx, organization)),
        database: databaseName(settings),
      };
    },
    { mayMake: true },
  );
  if (json) return output.value({ ...made, organization: FIRST_ORGANIZATION });
  output.say(`${made.database}: organization ${FIRST_ORGANIZATION} ${made.created ? "is made" : "was there already"}.`);
}

async function migrate({ output }: Shell, { json }: OutputOption) {
  const database = await withStore(async (_, settings) => databaseName(settings));
  const schema = MIGRATIONS.at(-1)?.name ?? "";
  if (json) return output.value({ ok: true, database, schema });
  output.say(`${database} has schema ${schema}, the newest.`);
}

async function showSettings({ output }: Shell, { json }: OutputOption) {
  const settings = listSettings();
  if (json) return output.value({ settings });
  output.say(
    table(
      ["SETTING", "VALUE", "FROM", "WHAT IT SAYS"],
      settings.map(({ name, value, source, says }) => [name, value ?? "", source, says]),
    ),
  );
}
