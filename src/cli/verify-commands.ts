import { type Command, InvalidArgumentError } from "commander";
import { fail } from "../core/errors.ts";
import { toIso } from "../core/fields.ts";
import { type AnswerRow, findAnswer, findToldDigest } from "../features/approval/queries.ts";
import { problemsOf } from "../features/approval/verify-answer.ts";
import { checkProof } from "../features/passkeys/check-proof.ts";
import { EXIT } from "./exit-codes.ts";
import { withStore } from "./operator.ts";
import { type OrganizationOption, type Shell, withOrganization } from "./shell.ts";

/** `verify answer`: whether what is stored is what was approved, from the database alone. */
export function addVerifyCommands(program: Command, shell: Shell): void {
  const verify = program.command("verify").description("whether what is stored is what was");
  withOrganization(verify.command("answer").description("recompute an answer's approval from what is stored"))
    .argument("<question>", "its number, 5 or q5", questionNumber)
    .action((question: number, options: OrganizationOption) => verifyAnswer(shell, question, options));
}

/** An answer that counts as signed has a signature, which is checked with the key that is stored. */
async function problemsOfProof(row: AnswerRow): Promise<string[]> {
  const { level, proof, organization, person, hash } = row;
  if (level !== "signed") return proof === null ? [] : ["it has a signature and does not count as signed"];
  const isSigned =
    proof !== null && (await withStore(({ read }) => checkProof(read, { organization, person, hash, proof })));
  return isSigned ? [] : ["its signature is of no passkey of its person over that hash"];
}

async function verifyAnswer(shell: Shell, question: number, { json, org }: OrganizationOption) {
  const { row, told } = await withStore((store) =>
    store.read(async (tx) => ({
      row: await findAnswer(tx, org, question),
      told: await findToldDigest(tx, org, question),
    })),
  );
  if (!row) throw fail("not_found", { what: `answer to q${question} in organization ${org}` });
  const problems = [...problemsOf(row, told), ...(await problemsOfProof(row))];
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
