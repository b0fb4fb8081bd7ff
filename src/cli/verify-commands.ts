import { type Command, InvalidArgumentError } from "commander";
import { fail } from "../core/errors.ts";
import { toIso } from "../core/fields.ts";
import { findAnswer } from "../features/approval/queries.ts";
import { type Verdict, verdictOn } from "../features/integrity/verdict.ts";
import { verifyAnswer as problemsOfAnswer } from "../features/integrity/verify.ts";
import { placeOf } from "../hub.ts";
import { checkStructure } from "../store/inspect.ts";
import { verifyBackup } from "./backup-commands.ts";
import { EXIT } from "./exit-codes.ts";
import { withStore } from "./operator.ts";
import { type OrganizationOption, type OutputOption, type Shell, withOrganization, withOutput } from "./shell.ts";

/** `verify`, of a database or a backup, and `verify answer`. */
export function addVerifyCommands(program: Command, shell: Shell): void {
  const verify = withOutput(
    program
      .command("verify")
      .description("recompute every digest of events, messages, answers and files; a server may run on")
      .argument("[backup]", "a file that `backup` wrote, instead of the database"),
  ).action((file: string | undefined, options: OutputOption) => verifyAll(shell, file, options));
  withOrganization(verify.command("answer").description("recompute an answer's approval from what is stored"))
    .argument("<question>", "its number, 5 or q5", questionNumber)
    .action((question: number, options: OrganizationOption) => verifyAnswer(shell, question, options));
}

async function verifyAll(shell: Shell, file: string | undefined, { json }: OutputOption) {
  const structure = file === undefined ? await withStore(async (_, settings) => checkStructure(placeOf(settings))) : [];
  const verdict = file === undefined ? await withStore(verdictOn) : (await verifyBackup(file)).verdict;
  const ok = verdict.problem_count === 0 && structure.length === 0;
  if (!ok) shell.exit = EXIT.refused;
  if (json) return shell.output.value({ ok, structure, ...verdict });
  if (structure.length > 0) shell.output.say(`SQLite finds the file damaged: ${structure.join("; ")}.`);
  shell.output.say(sentenceOf(verdict, file ?? "the database"));
}

function sentenceOf({ looked, problems, problem_count: count }: Verdict, what: string): string {
  const { organizations, ...kinds } = looked;
  const seen = Object.entries(kinds).map(([kind, number]) => `${number} ${kind}`);
  const scope = `${seen.join(", ")} of ${organizations} organization${organizations === 1 ? "" : "s"}`;
  if (count === 0) return `In ${what} everything is what was stored: ${scope}.`;
  const lines = problems.map((one) => `  ${one.organization}: ${one.what}: ${one.problem}`);
  const more = count > problems.length ? [`  and ${count - problems.length} more`] : [];
  return [
    `In ${what} ${count} thing${count === 1 ? " is" : "s are"} NOT what was stored (${scope}):`,
    ...lines,
    ...more,
  ].join("\n");
}

async function verifyAnswer(shell: Shell, question: number, { json, org }: OrganizationOption) {
  const { row, problems } = await withStore(async (store) => ({
    row: await store.read((tx) => findAnswer(tx, org, question)),
    problems: await problemsOfAnswer(store, org, question),
  }));
  if (!row) throw fail("not_found", { what: `answer to q${question} in organization ${org}` });
  if (problems.length > 0) shell.exit = EXIT.refused;
  const { level, decided_by, decided_at, hash, asker, recipient } = row;
  const found = {
    question,
    ok: problems.length === 0,
    level,
    approved_by: decided_by,
    approved_at: toIso(decided_at),
    hash,
  };
  if (json) return shell.output.value({ ...found, problems });
  const verdict = found.ok ? "is what was approved" : `IS NOT what was approved: ${problems.join("; ")}`;
  shell.output.say(
    `The answer to q${question}, from ${recipient} to ${asker}, ${verdict}.\n` +
      `${level} by ${decided_by} at ${found.approved_at}; SHA-256 ${hash}`,
  );
}

function questionNumber(text: string): number {
  const match = /^q?([1-9]\d{0,14})$/.exec(text);
  if (!match) throw new InvalidArgumentError("It must be a question's number.");
  return Number(match[1]);
}
