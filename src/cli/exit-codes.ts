import { SettingError } from "../config.ts";
import { HubError } from "../core/errors.ts";
import { HubRefusal, HubUnreachable } from "../client/hub-client.ts";
import { EditProblem } from "./connect/edits.ts";
import { operations } from "../operations.ts";
import { SchemaError } from "../store/migrate.ts";
import { StoreError, StoreSetupError } from "../store/store.ts";

/** How a command ends. */
export const EXIT = {
  ok: 0,
  bug: 1,
  usage: 2,
  signedOut: 3,
  notAllowed: 4,
  refused: 5,
  limit: 6,
  unreachable: 7,
} as const;

/** The command cannot do that as it was asked: a fact for whoever typed it. */
export class UsageError extends Error {}

/** What to do when nothing, or something else, answers. */
export const OTHER_ADDRESS =
  "Start it there, or name the address that the server printed at its start, in CREWROOM_URL or --url.";

/** What is told of a failure. */
export interface Failure {
  readonly exit: number;
  readonly code: string;
  readonly message: string;
  readonly next?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly trace?: string | undefined;
}

/** Tells what went wrong. What is nobody's doing but ours is a bug, and is told with its stack. */
export function failureOf(error: unknown, command: string): Failure {
  if (error instanceof HubRefusal) return { ...refusal(error), next: asCommand(error.next, command) };
  if (error instanceof HubError) return refusal(error);
  if (error instanceof HubUnreachable)
    return { exit: EXIT.unreachable, code: "unreachable", message: error.message, next: OTHER_ADDRESS };
  if (error instanceof StoreError)
    return { exit: EXIT.unreachable, code: `database_${error.trouble}`, message: error.message };
  if (error instanceof UsageError || error instanceof EditProblem)
    return { exit: EXIT.usage, code: "usage", message: error.message };
  if (error instanceof SettingError) return { exit: EXIT.usage, code: "setting", message: error.message };
  if (error instanceof StoreSetupError || error instanceof SchemaError)
    return { exit: EXIT.usage, code: "database", message: error.message };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exit: EXIT.bug, code: "bug", message: `This is a fault of Crewroom. ${stack}` };
}

/** A rule may answer that nothing came of it; a script sees that without reading the answer. */
export function exitOfAnswer(answer: Readonly<Record<string, unknown>>): number {
  const verdicts = ["claimed", "updated", "released", "sent"].map((field) => answer[field]);
  return verdicts.includes(false) ? EXIT.refused : EXIT.ok;
}

function refusal(error: HubRefusal | HubError): Failure {
  const { code, message, next, data } = error;
  return {
    exit: exitOfRefusal(code, error.status),
    code,
    message,
    next,
    data,
    ...("trace" in error && { trace: error.trace }),
  };
}

/** The hub names operations to everybody alike; here the first is followed by how it is called from a shell. */
function asCommand(next: string, command: string): string {
  const named = next.match(/[a-z]+(_[a-z]+)+/g)?.find((word) => operations.some(({ name }) => name === word));
  return named === undefined ? next : next.replace(named, `${named} (${command} call ${named})`);
}

function exitOfRefusal(code: string, status: number): number {
  if (code === "too_many") return EXIT.limit;
  if (status === 401) return EXIT.signedOut;
  if ([403, 404, 421].includes(status)) return EXIT.notAllowed;
  if ([409, 410, 422].includes(status)) return EXIT.refused;
  if ([413, 429, 431].includes(status)) return EXIT.limit;
  if (status === 503) return EXIT.unreachable;
  return status >= 500 ? EXIT.bug : EXIT.usage;
}
