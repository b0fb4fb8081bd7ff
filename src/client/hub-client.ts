import type { z } from "zod";
import type { operations } from "../operations.ts";

type Listed = (typeof operations)[number];
type Named<Name extends string> = Extract<Listed, { readonly name: Name }>;

export type OperationName = Listed["name"];
/** What an operation takes. `room` and `idempotency_key` are refused by those that do not know them. */
export type InputOf<Name extends OperationName> = z.input<Named<Name>["input"]> & {
  readonly room?: string | undefined;
  readonly idempotency_key?: string | undefined;
};
export type AnswerOf<Name extends OperationName> = z.output<Named<Name>["output"]>;

/** Where the hub is and who calls. */
export interface Connection {
  /** With or without a slash at the end. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Which of the member's sessions this is, and by which path it calls; `tool` unless said. */
  readonly session?: string | undefined;
  readonly path?: string | undefined;
  /** What carries the requests; the global one unless given. */
  readonly fetch?: typeof fetch | undefined;
}

/** The hub understood the call and refused it. */
export class HubRefusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly next: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly trace: string | undefined;

  constructor(status: number, error: RefusalBody) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.next = error.next;
    this.data = error.data ?? {};
    this.trace = error.trace;
  }
}

/** No hub answered: wrong address, no network, or something else that is not a Crewroom. */
export class HubUnreachable extends Error {}

interface RefusalBody {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly trace?: string;
}

/** Calls operations by name, typed from the hub's own list. Runs in Node and in a browser. */
export interface HubClient {
  /** @throws HubRefusal, HubUnreachable */
  call<Name extends OperationName>(
    operation: Name,
    input: InputOf<Name>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<Name>>;
}

export function openHubClient(connection: Connection): HubClient {
  return {
    call: <Name extends OperationName>(operation: Name, input: InputOf<Name>, signal?: AbortSignal) =>
      // The hub's tests compare every answer with the schema this type is made from.
      callByName(connection, operation, input, signal) as Promise<AnswerOf<Name>>,
  };
}

/**
 * Calls an operation whose name is known only now.
 *
 * @throws HubRefusal, HubUnreachable
 */
export async function callByName(
  connection: Connection,
  operation: string,
  input: object,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const response = await reach(connection, `/api/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
    ...(signal && { signal }),
  });
  const answer = await jsonObject(response);
  if (answer && response.ok) return answer;
  throw refusalFrom(connection, response, answer);
}

/**
 * Any request to the hub with the caller's credential. A redirect is refused: it would carry the token elsewhere.
 *
 * @throws HubUnreachable
 */
export async function reach(
  { url, token, session, path: caller, fetch: carry = fetch }: Connection,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token) headers.set("authorization", `Bearer ${token}`);
  if (session) headers.set("x-crewroom-session", session);
  if (caller) headers.set("x-crewroom-path", caller);
  try {
    return await carry(url.replace(/\/+$/, "") + path, { ...init, headers, redirect: "error" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new HubUnreachable(`No Crewroom can be reached at ${url}: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Reads a refusal; what is not a Crewroom's own counts as not reached. */
export async function refusalOf(connection: Connection, response: Response): Promise<HubRefusal | HubUnreachable> {
  return refusalFrom(connection, response, await jsonObject(response));
}

function refusalFrom(
  { url }: Connection,
  response: Response,
  answer: Record<string, unknown> | undefined,
): HubRefusal | HubUnreachable {
  const error = answer?.["error"];
  if (isRefusalBody(error)) return new HubRefusal(response.status, error);
  return new HubUnreachable(`What answers at ${url} is not a Crewroom (HTTP ${response.status}).`);
}

async function jsonObject(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    const body: unknown = await response.json();
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isRefusalBody(value: unknown): value is RefusalBody {
  return isObject(value) && typeof value["code"] === "string" && typeof value["message"] === "string";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && cause.message === "" ? String(cause.code) : cause.message;
}
