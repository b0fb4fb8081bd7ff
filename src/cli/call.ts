import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { callByName } from "../client/hub-client.ts";
import type { Operation } from "../core/operation.ts";
import { operations } from "../operations.ts";
import { asNamed, type Field, fieldsOf, readField } from "./call-fields.ts";
import { connectionFrom, type ConnectionOptions, withConnection } from "./connection.ts";
import { exitOfAnswer, UsageError } from "./exit-codes.ts";
import type { Shell } from "./shell.ts";

interface CallOptions extends ConnectionOptions {
  readonly json?: string | true;
  readonly [field: string]: unknown;
}

/** `call <operation>`: every operation of the hub, with its fields as options, made from the list. */
export function addCallCommand(program: Command, shell: Shell): void {
  program
    .command("call")
    .description("call any operation of a hub; call <operation> --help names its fields")
    .argument("<operation>", "such as claim_task")
    .argument("[fields...]", "--task-id 12 and so on, or --json '{…}', or - for JSON on standard input")
    .passThroughOptions()
    .allowUnknownOption()
    .addHelpText(
      "after",
      () => `\nOperations:\n${operations.map(({ name, title }) => `  ${name.padEnd(20)} ${title}`).join("\n")}`,
    )
    .action(async (name: string, fields: readonly string[]) => {
      const operation = (operations as readonly Operation[]).find((known) => known.name === name.replaceAll("-", "_"));
      if (!operation) throw new UsageError(`There is no operation ${name}. See: ${shell.command} call --help.`);
      await operationCommand(program, shell, operation).parseAsync([...fields], { from: "user" });
    });
}

function operationCommand(program: Command, shell: Shell, operation: Operation): Command {
  const fields = fieldsOf(operation);
  const command = withConnection(new Command(operation.name).copyInheritedSettings(program))
    .description(operation.description)
    .argument("[input]", "- for JSON on standard input")
    .option("--json [input]", "the whole input as one JSON object")
    .action((source: string | undefined, options: CallOptions) => call(shell, operation, fields, source, options));
  for (const field of fields) {
    command.option(field.flags, field.says);
    // As the hub writes it, which is what errors and other surfaces show.
    if (field.name.includes("_")) command.addOption(new Option(asNamed(field)).hideHelp());
  }
  return command;
}

async function call(
  shell: Shell,
  operation: Operation,
  fields: readonly Field[],
  source: string | undefined,
  options: CallOptions,
) {
  const connection = connectionFrom(options, shell.output);
  const room = operation.inRoom && connection.room !== undefined ? { room: connection.room } : {};
  const named = fields
    .map((field) => ({ field, given: options[field.option] ?? options[field.name] }))
    .filter(({ given }) => given !== undefined)
    .map(({ field, given }) => [field.name, readField(field, given)]);
  const json = givenJson(source, options.json);
  refuseSecrets(fields, source === "-" ? {} : json, Object.fromEntries(named));
  const input = { ...room, ...json, ...Object.fromEntries(named) };
  const answer = await callByName(connection, operation.name, input);
  shell.output.page(answer);
  shell.exit = exitOfAnswer(answer);
}

/** @throws UsageError for a secret among the arguments. */
function refuseSecrets(fields: readonly Field[], ...typed: readonly object[]) {
  for (const { name, secret } of fields)
    if (secret && typed.some((values) => name in values))
      throw new UsageError(
        `${name} is a secret, and arguments are seen by the whole machine: give the input as JSON on standard input, with: -.`,
      );
}

function givenJson(source: string | undefined, json: string | true | undefined): object {
  if (source !== undefined && source !== "-")
    throw new UsageError(`${JSON.stringify(source)} is not understood: give fields by name, or - for standard input.`);
  const text = source === "-" ? readFileSync(0, "utf8") : typeof json === "string" ? json : "{}";
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told below, like anything else that is no object.
  }
  throw new UsageError("The input is not one JSON object.");
}
