import { type Command, InvalidArgumentError } from "commander";
import { FIRST_ORGANIZATION } from "../config.ts";
import type { Output } from "./output.ts";

/** What every command is given. */
export interface Shell {
  readonly output: Output;
  /** How to call this program, for texts that are pasted. */
  readonly command: string;
  /** How the program ends; a command may set it. */
  exit: number;
}

export interface OutputOption {
  readonly json?: true;
}
export interface OrganizationOption extends OutputOption {
  readonly org: string;
}

/** Adds what every command takes. */
export function withOutput(command: Command): Command {
  return command.option("--json", "print one JSON object");
}

/** Adds what commands inside one organization take. */
export function withOrganization(command: Command): Command {
  return withOutput(command.option("--org <id>", "the organization", FIRST_ORGANIZATION));
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** For options that count something. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}
