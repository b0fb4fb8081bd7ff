import type { Readable } from "node:stream";
import type { Adapter, Occasion } from "../adapters/adapter.ts";

/** An event of the client. */
export interface HookEvent {
  readonly name: string;
  readonly occasion: Occasion;
  /** The client's own name for the session; undefined when it gives none that can be sent. */
  readonly session: string | undefined;
  /** Whether the client reads JSON: it does where it sent some. */
  readonly byClient: boolean;
  /** A person has just spoken to the agent: it was not woken by a program. */
  readonly prompted: boolean;
}

/** Nobody at the other end for so long (ms): then what came until then is all. */
const SILENCE = 2_000;

/** Everything on standard input, whatever its size: the answer of a tool may be in it. */
export function readWhole(input: Readable): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const silence = setTimeout(end, SILENCE);
    input.on("data", take).once("end", end).once("error", end);

    function take(chunk: Buffer) {
      chunks.push(chunk);
      silence.refresh();
    }
    function end() {
      clearTimeout(silence);
      input.off("data", take).destroy();
      resolve(Buffer.concat(chunks).toString("utf8"));
    }
  });
}

/**
 * The event that a client's JSON tells of, or why nothing is to be done.
 *
 * @param forced  an event's name that goes before the one in the text.
 */
export function readEvent(
  text: string,
  adapter: Adapter,
  forced: string | undefined,
): HookEvent | { readonly silent: string } {
  const byClient = text.trim() !== "";
  const fields = byClient ? parse(text) : {};
  if (!fields) return { silent: "standard input is not one JSON object" };
  if (adapter.isSubagents(fields)) return { silent: "a subagent's event" };
  const { hook_event_name, [adapter.session]: id } = fields;
  const name = forced ?? (typeof hook_event_name === "string" ? hook_event_name : byClient ? "" : promptOf(adapter));
  const occasion = Object.hasOwn(adapter.occasions, name) ? adapter.occasions[name] : undefined;
  if (!occasion) return { silent: `nothing is done at ${JSON.stringify(name.slice(0, 40))}` };
  const session = typeof id === "string" && SESSION.test(id) ? id : undefined;
  const isOver = occasion === "stop" && adapter.goesOn(fields);
  const prompted = occasion === "prompt" && byClient && isPersons(fields);
  return { name, occasion: isOver ? "quiet" : occasion, session, byClient, prompted };
}

/**
 * Whether a prompt is a person's own words. What wakes a session comes as a prompt too: a monitor's line between marks of its own, another
 * session's message under a heading.
 *
 * @source Claude Code 2.1, as observed: "<task-notification>", and "Another Claude session sent a message".
 */
function isPersons({ prompt, source }: Readonly<Record<string, unknown>>): boolean {
  if (typeof prompt !== "string" || (source !== undefined && source !== "user")) return false;
  return !/<task-notification>|\[crewroom\] |^\s*Another Claude session sent a message/.test(prompt);
}

/** What a run by hand is. */
function promptOf({ occasions }: Adapter): string {
  return Object.entries(occasions).find(([, occasion]) => occasion === "prompt")?.[0] ?? "";
}

/** What the hub takes as a session's name. */
const SESSION = /^[\x21-\x7e]{1,128}$/;

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Its fields are looked at one by one.
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below, like anything else that is no object.
  }
  return undefined;
}
