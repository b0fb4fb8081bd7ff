import { readFileSync, writeFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { importChatroom } from "../features/imports/chatroom.ts";
import { importCtalk } from "../features/imports/ctalk.ts";
import type { Report } from "../features/imports/report.ts";
import { type Foreign, openForeign } from "../store/foreign.ts";
import type { Store } from "../store/store.ts";
import { withStore } from "./operator.ts";
import { UsageError } from "./exit-codes.ts";
import { safeJson, table } from "./output.ts";
import { type OrganizationOption, type OutputOption, type Shell, withOrganization, withOutput } from "./shell.ts";

interface ImportOptions extends OutputOption {
  readonly source: string;
  readonly report?: string;
}

/** Rows of the report shown at most; `--report` and `--json` have all. */
const MOST_SHOWN = 30;

/** `import chatroom|ctalk`: moves an existing database over, which is only read. */
export function addImportCommand(program: Command, shell: Shell): void {
  const moving = program.command("import").description("move a database of ChatRoomMCP or Ctalk over; it is only read");
  withOrganization(withSource(moving.command("chatroom"), "chatroom"))
    .description("rooms, agents with their tokens, tasks, notes, messages, files and the log of ChatRoomMCP")
    .argument("<file>", "its SQLite file; its server may run")
    .action((file: string, { org, ...options }: ImportOptions & OrganizationOption) =>
      run(shell, file, options, (store, foreign) =>
        importChatroom(store, foreign, { organization: org, source: options.source }),
      ),
    );
  withOutput(withSource(moving.command("ctalk"), "ctalk"))
    .description("organizations, people with their passwords and tokens, and questions of Ctalk")
    .argument("<place>", "its SQLite file, or - for the address of its Postgres on standard input")
    .action((place: string, options: ImportOptions) =>
      run(shell, place, options, (store, foreign) => importCtalk(store, foreign, options.source)),
    );
}

function withSource(command: Command, usual: string): Command {
  return command
    .addOption(
      new Option("--source <name>", "which database this is; a second one of its kind needs another name").default(
        usual,
      ),
    )
    .option("--report <file>", "write the whole report there, as JSON: every number with what it was");
}

type Import = (store: Store, foreign: Foreign) => Promise<Report>;

async function run({ output }: Shell, place: string, { json, report: file }: ImportOptions, work: Import) {
  const foreign = await openForeign(placeFrom(place));
  try {
    const report = await withStore((store) => work(store, foreign), { mayMake: true });
    if (file !== undefined) writeFileSync(file, `${safeJson(report, 2)}\n`, { mode: 0o600 });
    if (json) return output.value(report);
    output.say(textOf(report));
    if (file !== undefined) output.say(`The whole report is in ${file}.`);
  } finally {
    await foreign.close();
  }
}

/** An address with a password in it would be seen by everybody on the machine, and kept by the shell. */
function placeFrom(given: string): string {
  const place = given === "-" ? readFileSync(0, "utf8").trim() : given;
  if (place === "") throw new UsageError("Standard input is empty; it must be the address of a Postgres.");
  if (given !== "-" && /^postgres(ql)?:\/\/[^/]*:[^/]*@/.test(given))
    throw new UsageError("An address with a password is no argument: give - and the address on standard input.");
  return place;
}

function textOf({ system, organizations, counts, renamed, numbers, notes }: Report): string {
  const kinds = Object.entries(counts).map(([kind, { imported, already, skipped }]) => [
    kind,
    String(imported),
    String(already),
    String(skipped),
  ]);
  const names = renamed.map((one) => [one.organization, one.kind, one.old, one.new]);
  const moved = numbers.filter((one) => one.old !== String(one.new));
  const items = moved.map((one) => [one.organization, one.room ?? "", one.kind, one.old, String(one.new)]);
  const where = organizations.length === 0 ? "nowhere: it has no organization" : organizations.join(", ");
  return [
    `Imported from ${system} into ${where}.`,
    table(["WHAT", "IMPORTED", "ALREADY HERE", "LEFT OUT"], kinds),
    ...listed("Names that are others here; the old one is the display name:", ["IN", "KIND", "THERE", "HERE"], names),
    ...listed("Numbers that are others here:", ["IN", "ROOM", "KIND", "THERE", "HERE"], items),
    ...(notes.length === 0 ? [] : ["\nNot as it was:", ...shortened(notes.map((line) => `  ${line}`))]),
  ].join("\n");
}

function listed(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const more = rows.length - MOST_SHOWN;
  return ["", title, table(head, rows.slice(0, MOST_SHOWN)), ...(more > 0 ? [`and ${more} more: see --report`] : [])];
}

function shortened(lines: readonly string[]): string[] {
  const more = lines.length - MOST_SHOWN;
  return more > 0 ? [...lines.slice(0, MOST_SHOWN), `  and ${more} more: see --report`] : [...lines];
}
