import { createHmac, hash } from "node:crypto";
import { type Store, StoreError, type Tx } from "../store/store.ts";
import { fail } from "./errors.ts";
import { appendEvents } from "./event-log.ts";
import type { NewEvent } from "./events.ts";
import type { Feed } from "./feed.ts";
import type { Handovers } from "./handovers.ts";
import { findAnswer, keepAnswer, type KeyedRequest, saysNo } from "./idempotency.ts";
import { parseInput } from "./fields.ts";
import { LIMITS } from "./limits.ts";
import type {
  AfterAnswer,
  Caller,
  Context,
  HandoverContext,
  Operation,
  Passwords,
  Role,
  RoomRef,
  RuleSettings,
  WaitContext,
} from "./operation.ts";
import { nobody, NOBODY, refuseRole } from "./roles.ts";

/** What every call needs and no rule sees. */
export interface Core {
  readonly store: Store;
  readonly feed: Feed;
  readonly handovers: Handovers;
  readonly passwords: Passwords;
  /** Digests of what was asked under an idempotency key are made with it: the input may hold a password. */
  readonly digestKey: Uint8Array;
  /** Seals what a client keeps between two parts of one call. */
  readonly sealKey: Uint8Array;
  readonly settings: RuleSettings;
  /** @throws HubError `too_many_calls`: one credential cannot take the others' share. */
  readonly admit: (caller: Caller) => Promise<void>;
  /** Told after the commit what was written into an organization's log. */
  readonly committed: (organization: string, events: readonly NewEvent[]) => void;
  /** Compares each answer with the operation's schema; tests do, a running hub does not. */
  readonly checkAnswers: boolean;
}

export interface Call {
  readonly caller: Caller;
  /** Not checked yet. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Used when the input has no key of its own: the client's own name for this call. */
  readonly callId?: string | undefined;
  /** What the person accepted in its client's prompt before the call: the hash of what it was shown. */
  readonly consent?: string | undefined;
  /** Bytes that came beside the input. */
  readonly content?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Which way the answer leaves: it bounds a page in bytes. REST unless said. */
  readonly surface?: "mcp" | "rest" | undefined;
}

export interface Answer {
  readonly value: Readonly<Record<string, unknown>>;
  /** The answer of an earlier call with the same key. */
  readonly replayed: boolean;
  /**
   * There when the answer hands out news: whoever sends it says once whether it was written out whole or was cut. Without
   * that the news are handed out again.
   */
  readonly settled?: (written: boolean) => Promise<void>;
}

/**
 * Runs one call: share, role, room, input; then in one transaction the idempotency record, the rule, its events; commit; wake.
 *
 * @throws HubError with any code the operation declares, and those of the checks here. After it nothing was changed.
 */
export async function execute(core: Core, operation: Operation, call: Call): Promise<Answer> {
  await core.admit(call.caller);
  refuseRole(call.caller, operation.needs);
  const room = operation.inRoom ? roomOf(call.caller, call.input["room"]) : undefined;
  if (room?.archived && operation.kind === "command" && operation.needs === "write")
    throw fail("room_archived", { room: room.name });
  const input = parseInput(operation.input, call.input);
  const caller = operation.needs === "anyone" ? concerning(call.caller, input["org_id"]) : call.caller;
  try {
    const answer = await runKind(core, operation, { ...call, caller, input: room ? withoutRoom(input) : input }, room);
    if (core.checkAnswers) operation.output.parse(answer.value);
    return answer;
  } catch (error) {
    throw asHubError(error);
  }
}

/** What anyone may call concerns the organization it names; who belongs to another one is nobody there. */
function concerning(caller: Caller, organization: unknown): Caller {
  if (typeof organization !== "string" || organization === caller.organization) return caller;
  const roles = new Set<Role>(caller.roles.has("sign_up") ? ["sign_up"] : []);
  return { ...nobody(caller.address), organization, roles };
}

/** A rule is given the room itself; the name among the input would look like one more field that is to be changed. */
function withoutRoom({ room: _named, ...input }: Call["input"]): Call["input"] {
  return input;
}

/** The room a call means: the one it names, or the credential's own. */
export function roomOf(caller: Caller, named: unknown): RoomRef {
  if (named === undefined || named === null) {
    if (caller.defaultRoom) return caller.defaultRoom;
    throw fail("room_not_granted", { room: "", rooms: [...caller.rooms.keys()] });
  }
  const room = typeof named === "string" ? caller.rooms.get(named) : undefined;
  if (!room && typeof named === "string")
    throw fail("room_not_granted", { room: named.slice(0, 64), rooms: [...caller.rooms.keys()] });
  if (!room) throw fail("bad_input", { field: "room", problem: "must be a room's name" });
  return room;
}

async function runKind(core: Core, operation: Operation, call: Call, room: RoomRef | undefined): Promise<Answer> {
  if (operation.kind === "wait") return { value: await runWait(core, operation, call, room), replayed: false };
  if (operation.kind === "handover") return runHandover(core, operation, call, room);
  if (operation.kind === "query") {
    const value = await core.store.read((tx) =>
      runRule(operation, contextOf(core, call, tx, room, refuseEmit), call.input),
    );
    return { value, replayed: false };
  }
  return runCommand(core, operation, call, room);
}

async function runCommand(core: Core, operation: Operation, call: Call, room: RoomRef | undefined): Promise<Answer> {
  const { caller } = call;
  const { idempotency_key, ...input } = call.input;
  const key = (idempotency_key as string | undefined) ?? call.callId; // checked by the schema
  const asked = call.content ? [room?.id, input, hash("sha256", call.content, "hex")] : [room?.id, input];
  const request = key === undefined ? undefined : keyedRequest(core, operation, caller, key, asked);
  // What is prepared may hold for the first call only: an old password is the right one once.
  const kept =
    operation.prepare && request && (await core.store.read((tx) => findAnswer(tx, caller, operation.name, request)));
  if (kept) return { value: kept, replayed: true };
  const prepared = await prepare(core, operation, { ...call, input });
  const { answer, events } = await core.store.write(caller.organization, async (tx) => {
    const earlier = request && (await findAnswer(tx, caller, operation.name, request));
    if (earlier) return { answer: { value: earlier, replayed: true }, events: [] };
    const events: NewEvent[] = [];
    const context = contextOf(core, call, tx, room, (event) => void events.push(event));
    const value = await runRule(operation, context, input, prepared);
    if (events.length > 0) appendEvents(tx, caller.organization, caller, events);
    // An answer that changed nothing, or said no, is not kept, so that a retry may have better luck.
    if (request && events.length > 0 && !saysNo(value)) await keepAnswer(tx, caller, operation, request, value);
    return { answer: { value, replayed: false }, events };
  });
  if (events.length > 0) core.committed(caller.organization, events);
  return answer;
}

/**
 * Keys are their caller's own, and its session's for what belongs to a session. Nobody has none: there the input is part of the key, so that
 * a key tells no right password from wrong.
 */
function keyedRequest(
  { digestKey }: Core,
  { bySession }: Operation,
  { handle, session }: Caller,
  key: string,
  asked: readonly unknown[],
): KeyedRequest {
  const digestOf = (what: unknown) => createHmac("sha256", digestKey).update(JSON.stringify(what)).digest("hex");
  const digest = digestOf(asked);
  const request = { given: key, key, digest };
  if (handle === NOBODY) return { ...request, key: digestOf([key, asked]) };
  return bySession && session !== "-" ? { ...request, key: digestOf([key, session]) } : request;
}

async function prepare({ settings, passwords, store }: Core, { prepare: work }: Operation, { caller, input }: Call) {
  // The definition pairs it with its input; here only the list's general type is known.
  return work?.({ caller, settings, passwords, read: store.read }, input as never);
}

/**
 * Hands out news: first it looks, so that nothing new costs no write. What was handed out is confirmed in a transaction of its
 * own once whoever sends the answer has said that it was written out whole.
 */
async function runHandover(core: Core, operation: Operation, call: Call, room: RoomRef | undefined): Promise<Answer> {
  const { store, handovers } = core;
  const { organization } = call.caller;
  const base = (tx: Tx) => ({ ...contextOf(core, call, tx, room, refuseEmit), handovers });
  const { look } = operation;
  const looked = look && (await store.read((tx) => runRule({ run: look }, base(tx), call.input)));
  if (looked) return { value: looked, replayed: false };

  let listeners: ((written: boolean) => AfterAnswer | undefined)[] = [];
  const tell = (written: boolean) => {
    const told = listeners;
    listeners = [];
    return told.flatMap((listener) => listener(written) ?? []);
  };
  try {
    const value = await store.write(organization, (tx) => {
      // A transaction that was given up is run again: what the first run handed out was not.
      tell(false);
      const whenSettled: HandoverContext["whenSettled"] = (listener) => void listeners.push(listener);
      return runRule(operation, { ...base(tx), whenSettled }, call.input);
    });
    if (!value) throw new Error(`${operation.name} gave no answer.`);
    return { value, replayed: false, settled: (written) => writeDown(store, organization, tell(written)) };
  } catch (error) {
    tell(false);
    throw error;
  }
}

async function writeDown(store: Store, organization: string, work: readonly AfterAnswer[]) {
  try {
    for (const write of work) await store.write(organization, write);
  } catch (error) {
    // The answer has left; what could not be written down is handed out once more.
    if (!(error instanceof StoreError)) throw error;
  }
}

async function runWait(core: Core, operation: Operation, call: Call, room: RoomRef | undefined) {
  const { caller } = call;
  const subscription = core.feed.subscribe({ caller, room }, call.signal);
  try {
    const { signal, nextNews } = subscription;
    const { settings, store, handovers } = core;
    const context = {
      caller,
      room,
      settings,
      answerBytes: answerBytesOf(call),
      read: store.read,
      write: <T>(work: (tx: Tx) => Promise<T>) => store.write(caller.organization, work),
      nextNews,
      signal,
      handovers,
    };
    // `room` is there: every waiting operation is in a room.
    return await runRule(operation, context as WaitContext, call.input);
  } finally {
    subscription.end();
  }
}

/** The definition pairs the rule with its context and input; here only the list's general type is known. */
function runRule(
  operation: Pick<Operation, "run">,
  context: Context | Omit<HandoverContext, "room"> | WaitContext,
  input: unknown,
  prepared?: unknown,
) {
  const run = operation.run as (context: unknown, input: unknown, more: unknown) => Promise<Record<string, unknown>>;
  return run(context, input, prepared);
}

function contextOf(
  core: Core,
  call: Call,
  tx: Tx,
  room: RoomRef | undefined,
  emit: (event: NewEvent) => void,
): Context {
  const { caller, consent, content } = call;
  const { settings } = core;
  return { tx, caller, consent, content, emit, settings, answerBytes: answerBytesOf(call), ...(room && { room }) };
}

function answerBytesOf({ surface }: Call): number {
  return surface === "mcp" ? LIMITS.mcpAnswerBytes : LIMITS.restAnswerBytes;
}

function refuseEmit(): never {
  throw new Error("A query told of an event.");
}

const OF_TROUBLE = { full: "storage_full", away: "database_away", unknown: "outcome_unknown" } as const;

/** What the store could not, as a refusal with its cause; anything else as it is. */
export function asHubError(error: unknown): unknown {
  return error instanceof StoreError ? Object.assign(fail(OF_TROUBLE[error.trouble]), { cause: error }) : error;
}
