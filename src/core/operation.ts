import { z } from "zod";
import type { Tx } from "../store/store.ts";
import type { ErrorCode } from "./errors.ts";
import type { NewEvent } from "./events.ts";
import type { Handovers } from "./handovers.ts";
import { LIMITS } from "./limits.ts";

/**
 * What a credential may do. All but `read` and `person_read` change something and never go with a read-only token.
 * `person_read` and `person_write`: it acts for a person, as that person's session or own agent. `self`: it is the person.
 * `browser`: the person sits before a page of this hub. `own_machine`: of one that runs on that person's machine. `mint`, `invite`: it may make tokens, ask newcomers in, within limits.
 * `set_passwords`: it may give others new ones, and so could sign in as them and approve: no token may.
 * `sign_up`: requests from there may make an organization. `guest`: nobody yet, but may sign in call by call with `auth_token`.
 */
export type Role =
  | "read"
  | "write"
  | "admin"
  | "organization_admin"
  | "person_read"
  | "person_write"
  | "self"
  | "browser"
  | "own_machine"
  | "mint"
  | "invite"
  | "set_passwords"
  | "sign_up"
  | "guest";

/** What an operation needs; `anyone` is open to those who have no credential yet. */
export type Need = Role | "anyone";

/** A room as a credential sees it: the name it is called by and the id it is kept under. */
export interface RoomRef {
  readonly id: number;
  readonly name: string;
  /** It is read, and written in no more. */
  readonly archived?: true;
}

/** Who is calling, as its credential says. Nothing in it comes from an argument. */
export interface Caller {
  readonly organization: string;
  readonly handle: string;
  /** The person it acts for: itself, or an agent's owner. */
  readonly person: string | undefined;
  /** The credential's id; places belong to it. */
  readonly credential: string;
  readonly roles: ReadonlySet<Role>;
  readonly allRooms: boolean;
  /** The rooms granted now, by name. */
  readonly rooms: ReadonlyMap<string, RoomRef>;
  readonly defaultRoom: RoomRef | undefined;
  /** Which of the member's sessions this is, from `X-Crewroom-Session`; `-` when not known. */
  readonly session: string;
  /** By which path the session calls, from `X-Crewroom-Path`: `tool` unless a hook, watcher or bridge says so. */
  readonly path: string;
  /** For a client that a person let in: the scopes that would give it a role it lacks, if any would. */
  readonly scopesFor?: (role: Role) => readonly string[] | undefined;
  /** Where the call came from: the client's address, `shell` for commands on the server, `-` when not known. */
  readonly address: string;
}

/** Passwords and other people's patience: hashing is slow on purpose, and guessing is slowed down. */
export interface Passwords {
  /** Argon2id, off the event loop, a few at a time; for a stranger's address only so many. @throws HubError as `check`. */
  hash(password: string, stranger?: string): Promise<string>;
  /** Whether it fits. Takes the same time when nothing is stored. @throws HubError `too_many_attempts`, `too_many_calls`. */
  check(password: string, stored: string | null | undefined, attempt: Attempt): Promise<boolean>;
}
export interface Attempt {
  /** `organization/handle` */
  readonly account: string;
  readonly address: string;
  /** The browser or address that the account was used from before, if this is one: strangers' failures do not count there. */
  readonly known: string | undefined;
}

/** What is done before the transaction, because it is slow. It changes nothing. */
export interface PrepareContext {
  readonly caller: Caller;
  readonly settings: RuleSettings;
  readonly passwords: Passwords;
  readonly read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
}

/** What a rule is given. It may await nothing but `tx`. */
export interface Context {
  readonly tx: Tx;
  readonly caller: Caller;
  /** The hash of what the person was shown and accepted in its client's prompt, where it was. */
  readonly consent?: string | undefined;
  /** Bytes that came beside the input, as the body of a request: a file. */
  readonly content?: Uint8Array | undefined;
  /** Tells that something happened: written into the log in the same transaction. */
  readonly emit: (event: NewEvent) => void;
  /** The settings that rules may depend on. */
  readonly settings: RuleSettings;
  /** How many bytes of JSON a page may have where this answer goes. */
  readonly answerBytes: number;
}
export interface RoomContext extends Context {
  readonly room: RoomRef;
}

/** What a rule that hands out news is given. */
export interface LookContext extends RoomContext {
  readonly handovers: Handovers;
}
export interface HandoverContext extends LookContext {
  /** Asks to be told whether the answer was written out whole; may give work for a transaction of its own. */
  readonly whenSettled: (listener: (written: boolean) => AfterAnswer | undefined) => void;
}
/** What is written down after an answer has left. The caller does not wait for it. */
export type AfterAnswer = (tx: Tx) => Promise<void>;

/** What a waiting operation is given instead of a transaction. */
export interface WaitContext {
  readonly caller: Caller;
  readonly room: RoomRef;
  readonly settings: RuleSettings;
  /** How many bytes of JSON a page may have where this answer goes. */
  readonly answerBytes: number;
  readonly read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** For what is noted of the wait itself; a wait changes nothing that others see. */
  readonly write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Resolves at the next commit of the caller's organization, when `signal` aborts, or after `ms`. Take it before reading. */
  readonly nextNews: (ms: number) => Promise<void>;
  /** Aborts when the client went away, the credential ended or the hub stops. */
  readonly signal: AbortSignal;
  readonly handovers: Handovers;
}

export interface RuleSettings {
  readonly leaseMinutes: number;
  readonly maxWaitSeconds: number;
  /** A file's most, and an organization's in all. */
  readonly maxFileBytes: number;
  readonly fileQuotaBytes: number;
  /** How often an agent is woken within an hour; 0 for as often as it comes. */
  readonly wakesPerHour: number;
  readonly version: string;
  /** Where agents reach this hub, without a slash at the end. */
  readonly url: string;
  /** The same as it is told to agents: on the hub's own network, and from anywhere where there is such an address. */
  readonly addresses: { readonly lan: string; readonly public: string | null };
  /** What `instance_state` shows of this hub's settings. No secrets. */
  readonly posture: Readonly<Record<string, unknown>>;
  /** Hosts that are not public and may be sent to all the same, as in an address. */
  readonly outboundHosts: readonly string[];
  /** What browsers are told by that notices by push come from here: an uncompressed P-256 point, base64url. */
  readonly pushKey: () => string;
  /** Closes what is kept and must be used again, not only compared. */
  readonly seal: { close(secret: string, place: string): string };
  /** Which process answers: an answer under way elsewhere is told from one that died with its process. */
  readonly node: string;
  /** How long (ms) an answer under way elsewhere is waited for; 0 where this is the only process. */
  readonly otherNodesMs: number;
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodType, Name extends string> {
  /** `verb_noun`; tool, address, command and client method follow from it. */
  readonly name: Name;
  readonly title: string;
  /** Read by agents: what it does, when to use it, what comes back. Three sentences at most. */
  readonly description: string;
  readonly needs: Need;
  readonly input: Input;
  readonly output: Output;
  /** The refusals it can give besides those of `execute` itself. */
  readonly errors: readonly ErrorCode[];
  /** Answer fields whose text other members wrote; the MCP answer names them as data. */
  readonly untrusted?: readonly string[];
  /** Answer fields that are shown once: an answer that comes again under its key has null there, and a `noteOnSecrets`. */
  readonly secretFields?: readonly string[];
  /** What it gives belongs to the caller's session, so an idempotency key counts for that one alone. */
  readonly bySession?: true;
  /** Shown first and always by clients that defer tools. */
  readonly always?: boolean;
  /** What only the person behind the call can settle, where the answer is not yet the last word. */
  asks?(answer: z.output<Output>): AskPerson | undefined;
  /** For pages, programs and the command line; agents are not offered it as a tool. */
  readonly notForAgents?: true;
  /** Input that works for the usual cast of the testkit; the first is printed in the reference. */
  readonly example: z.input<Input>;
}

/** What a person is asked in its own client, where that can ask. */
export interface AskPerson {
  /** One sentence. */
  readonly says: string;
  /** The page where it is settled. */
  readonly url: string;
  /** What may be agreed to in a prompt, and the hash that stands for it; left out where only the page will do. */
  readonly consent?: { readonly text: string; readonly hash: string } | undefined;
}

interface Rules<Input, Output, Prepared> {
  /** `query`: a transaction that cannot write. `command`: one that can. */
  readonly kind: "query" | "command";
  /** Hashing and verifying passwords: before the transaction, and after every check of role and input. */
  readonly prepare?: (context: PrepareContext, input: Input) => Promise<Prepared>;
  readonly run: (context: Context, input: Input, prepared: Prepared) => Promise<Output>;
}
interface RoomRules<Input, Output> {
  readonly kind: "query" | "command";
  readonly run: (context: RoomContext, input: Input) => Promise<Output>;
}
interface HandoverRules<Input, Output> {
  /** The answer when nothing need be written down; undefined when something must. In a transaction that cannot write. */
  readonly look: (context: LookContext, input: Input) => Promise<Output | undefined>;
  /** In a transaction that can write; not called when `look` answered. */
  readonly run: (context: HandoverContext, input: Input) => Promise<Output>;
}
interface WaitRules<Input, Output> {
  readonly run: (context: WaitContext, input: Input) => Promise<Output>;
}

/** One thing the hub can do, whatever it was called through. Made by the four functions below. */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Name extends string = string,
> extends Definition<Input, Output, Name> {
  readonly kind: "query" | "command" | "wait" | "handover";
  /** Whether it takes `room`, by default the credential's own. */
  readonly inRoom: boolean;
  readonly look?: (context: never, input: never) => Promise<unknown>;
  readonly prepare?: (context: PrepareContext, input: never) => Promise<unknown>;
  readonly run: (context: never, input: never, prepared: never) => Promise<unknown>;
}

/**
 * Defines an operation of the organization as a whole. One that `anyone` may call concerns the organization `org_id` of its
 * input, or the caller's.
 */
export function defineOperation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Name extends string,
  Prepared = undefined,
>(
  definition: Definition<Input, Output, Name> & Rules<z.output<Input>, z.input<Output>, Prepared>,
): Operation<Input, Output, Name> {
  return { ...definition, input: withKey(definition.input, definition.kind), inRoom: false };
}

/** Defines an operation inside one room: it takes `room`, and the rule gets the room the caller may enter. */
export function defineRoomOperation<Input extends z.ZodObject, Output extends z.ZodType, const Name extends string>(
  definition: Definition<Input, Output, Name> & RoomRules<z.output<Input>, z.input<Output>>,
): Operation<Input, Output, Name> {
  return { ...definition, input: withKey(withRoom(definition.input), definition.kind), inRoom: true };
}

/** Defines an operation that waits for news in a room and holds no transaction meanwhile. */
export function defineWait<Input extends z.ZodObject, Output extends z.ZodType, const Name extends string>(
  definition: Definition<Input, Output, Name> & WaitRules<z.output<Input>, z.input<Output>>,
): Operation<Input, Output, Name> {
  return { ...definition, kind: "wait", input: withRoom(definition.input), inRoom: true };
}

/** Defines an operation that hands out news in a room and is told whether they arrived. It changes nothing but the reader's place. */
export function defineHandover<Input extends z.ZodObject, Output extends z.ZodType, const Name extends string>(
  definition: Definition<Input, Output, Name> & HandoverRules<z.output<Input>, z.input<Output>>,
): Operation<Input, Output, Name> {
  return { ...definition, kind: "handover", input: withRoom(definition.input), inRoom: true };
}

const roomName = z.string().optional().describe("Room name; your token's room if left out");
const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "must be visible ASCII without spaces")
  .max(LIMITS.idempotencyKey)
  .optional()
  .describe("Makes a retry safe: same key and input, same answer, for 24 h");

/** Fields that every operation of a sort takes; the tool list says what they mean once, not thirty times. */
export const COMMON_FIELDS: ReadonlySet<string> = new Set(["room", "idempotency_key"]);

function withRoom<Input extends z.ZodObject>(input: Input): Input {
  // The shape grows by an optional field, which every rule may ignore.
  return z.strictObject({ ...input.shape, room: roomName }) as unknown as Input;
}

function withKey<Input extends z.ZodObject>(input: Input, kind: "query" | "command"): Input {
  const shape = kind === "command" ? { ...input.shape, idempotency_key: idempotencyKey } : input.shape;
  return z.strictObject(shape) as unknown as Input; // the same as above
}
