import { randomUUID } from "node:crypto";
import { readAgentScripts } from "./agent-scripts.ts";
import { type Callers, openCallers } from "./access/caller.ts";
import { openPasswords } from "./access/passwords.ts";
import { openOutbound, type Outbound } from "./access/outbound.ts";
import { openAddressLimit, openCallLimit, openThrottle, type ThrottleSettings } from "./access/throttle.ts";
import { openPushKey } from "./access/push-key.ts";
import { openSeal } from "./access/seal.ts";
import { type SecretKey, secretKeyBeside, secretKeyFrom } from "./access/secret-key.ts";
import { openBridges } from "./bridges/bridges.ts";
import type { Followers } from "./bridges/follower.ts";
import { addressesOf, FIRST_ORGANIZATION, reachableUrl, SettingError, type Settings } from "./config.ts";
import { TOUCHES_ACCESS } from "./core/events.ts";
import type { Core } from "./core/execute.ts";
import { openFeed } from "./core/feed.ts";
import { openHandovers } from "./core/handovers.ts";
import { type Log, openLog } from "./core/log.ts";
import type { Passwords, RuleSettings } from "./core/operation.ts";
import { openHttp } from "./edge/app.ts";
import { openMcp } from "./edge/mcp.ts";
import type { StreamReaders } from "./edge/stream-pages.ts";
import { toMessage } from "./features/chat/message-answer.ts";
import { listMessagesByNumbers } from "./features/chat/queries.ts";
import { listMovedRooms } from "./features/delivery/log-queries.ts";
import { writeQuestionEvents } from "./features/delivery/question-news.ts";
import { PART_BYTES, readPart } from "./features/files/content.ts";
import { readFigures } from "./features/organizations/figures-queries.ts";
import { findVerifiedBackup } from "./features/backup/queries.ts";
import { makeOrganization } from "./features/organizations/make-organization.ts";
import { readableFrom } from "./features/rooms/pruning-queries.ts";
import { endMembersLeases, startHousekeeping } from "./housekeeping.ts";
import { operations } from "./operations.ts";
import { pageOperations } from "./page-operations.ts";
import type { DatabasePlace } from "./store/archive/archive.ts";
import { openPostgres } from "./store/postgres.ts";
import { openSqlite } from "./store/sqlite.ts";
import { type Clock, REAL_TIME, type Store, type Tx } from "./store/store.ts";
import { VERSION } from "./version.ts";
import { readWebBuild } from "./web-build.ts";

/** How long (ms) an answer that another node has under way is waited for before its news are handed out again. */
const OTHER_NODES_MS = 10_000;

/** A running server. */
export interface Hub {
  readonly url: string;
  readonly port: number;
  readonly store: Store;
  readonly core: Core;
  readonly callers: Callers;
  readonly bridges: Pick<Followers, "work">;
  close(): Promise<void>;
}

/** What only tests change. */
export interface HubParts {
  readonly clock?: Readonly<Clock>;
  readonly checkAnswers?: boolean;
  readonly trustDatabase?: boolean;
  readonly outbound?: Outbound;
}

/**
 * Opens the store, makes organization `main` at the first start, and serves.
 *
 * @throws StoreSetupError, SchemaError, or the system's error when the port is taken. After it, nothing is left open.
 */
export async function startHub(settings: Settings, parts: HubParts = {}): Promise<Hub> {
  refuseMissingKey(settings);
  const store = await openStore(settings, { ...parts, exclusive: true });
  try {
    await store.write(FIRST_ORGANIZATION, (tx) =>
      makeOrganization(tx, { id: FIRST_ORGANIZATION, name: "Main", by: "crewroom" }),
    );
    // Beside the file, whose folder the store has made.
    const secretKey = openSecretKey(settings);
    return await serve(settings, store, { ...parts, secretKey });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens the database that the settings name, migrated. `exclusive`: as its server, not as a command beside it. */
export function openStore(
  settings: Settings,
  { clock = REAL_TIME, trustDatabase = false, exclusive = false }: HubParts & { exclusive?: boolean },
): Promise<Store> {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl } = settings;
  if (url) return openPostgres({ url, directUrl, clock, trustServer: trustDatabase });
  return openSqlite({ path: settings.CREWROOM_DB, exclusive, clock });
}

/** Where the database is that the settings name. What takes long goes past a pooler. */
export function placeOf({
  DATABASE_URL: url,
  DATABASE_DIRECT_URL: direct,
  CREWROOM_DB: path,
}: Settings): DatabasePlace {
  return url ? { kind: "postgres", url: direct ?? url } : { kind: "sqlite", path };
}

type Serving = HubParts & { readonly secretKey: SecretKey };

async function serve(settings: Settings, store: Store, parts: Serving): Promise<Hub> {
  const log = openLog(settings.CREWROOM_LOG);
  const clock = parts.clock ?? REAL_TIME;
  const callers = openCallers(store, () => performance.now() + clock.offset, endMembersLeases);
  // What another process wrote may be a revocation.
  store.onWake((woken) => woken === "all" && callers.forget());
  const throttle = openThrottle(budgetIn(settings));
  // With PORT=0 the port is known only once it listens.
  const listening = { port: settings.PORT };
  const core = openCore({ settings, store, callers, listening, ...parts });
  const mcp = openMcp({ core, operations, log, version: VERSION });
  const { secretKey, outbound = openOutbound({ listed: settings.CREWROOM_OUTBOUND_HOSTS }) } = parts;
  const served = { operations, pageOperations, scripts: readAgentScripts(), web: readWebBuild(), ...readers };
  const http = openHttp({ ...served, core, callers, throttle, mcp, secretKey, settings, log, outbound });
  const ear = setTimeout(() => warnIfDeaf(store, log), KNOWS_WHETHER_IT_HEARS).unref();
  const { port, close } = await http.listen(settings.CREWROOM_HOST, settings.PORT);
  listening.port = port;
  const housekeeping = startHousekeeping(core, log, {
    announceUpgrades: settings.CREWROOM_ANNOUNCE_UPGRADES === "on",
    pruneInterval: settings.CREWROOM_PRUNE_INTERVAL_SECONDS,
  });
  const bridges = openBridges({ core, log, outbound, secretKey, settings });
  return {
    url: addressOf(settings.CREWROOM_HOST, port),
    port,
    store,
    core,
    callers,
    bridges,
    async close() {
      clearTimeout(ear);
      core.feed.close();
      await housekeeping.stop();
      await bridges.stop();
      await close();
      await mcp.close();
      await store.close();
    },
  };
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** By then (ms) a store knows whether it hears other nodes. */
const KNOWS_WHETHER_IT_HEARS = 10_000;

function warnIfDeaf(store: Store, log: Log) {
  if (store.hears() === false)
    log.warn(
      "LISTEN brings nothing: the address is a pooler's. Set DATABASE_DIRECT_URL, else other nodes' news come by a look every second.",
    );
}

interface CoreParts extends Serving {
  readonly settings: Settings;
  readonly store: Store;
  readonly callers: Callers;
  readonly listening: { readonly port: number };
}

function openCore({ settings, store, callers, listening, secretKey, checkAnswers = false }: CoreParts): Core {
  return {
    store,
    feed: openFeed(store, callers.findEnded),
    handovers: openHandovers(),
    passwords: passwordsFor(budgetIn(settings)),
    digestKey: secretKey.keyFor("idempotency"),
    sealKey: secretKey.keyFor("mcp request state"),
    settings: ruleSettings(settings, store, listening),
    admit: openCallLimit(settings.CREWROOM_CALLS_PER_MINUTE),
    checkAnswers,
    committed(organization, events) {
      if (events.some((event) => TOUCHES_ACCESS.has(event.kind))) callers.forget(organization);
    },
  };
}

/** @throws SettingError: several nodes share a database, so none may make up a key of its own. */
function refuseMissingKey({ CREWROOM_SECRET_KEY, DATABASE_URL }: Settings) {
  if (DATABASE_URL && !CREWROOM_SECRET_KEY)
    throw new SettingError(
      "CREWROOM_SECRET_KEY is not set; with DATABASE_URL it must be, the same on every node. Make one with: openssl rand -base64 32.",
    );
}

function openSecretKey({ CREWROOM_SECRET_KEY, CREWROOM_DB }: Settings): SecretKey {
  return CREWROOM_SECRET_KEY ? secretKeyFrom(CREWROOM_SECRET_KEY) : secretKeyBeside(CREWROOM_DB);
}

function budgetIn(settings: Settings): ThrottleSettings {
  return { limit: settings.CREWROOM_AUTH_FAIL_LIMIT, windowSeconds: settings.CREWROOM_AUTH_FAIL_WINDOW_SECONDS };
}

/** Wrong passwords count against their address, apart from wrong tokens, and against their account. */
export function passwordsFor(budget: ThrottleSettings): Passwords {
  return openPasswords({
    byAddress: openThrottle(budget),
    byAccount: openThrottle(budget),
    byOwner: openThrottle(budget),
    limitStranger: openAddressLimit(budget),
  });
}

/** What the stream's `chat`, `question` and `rooms` frames carry. */
const streamReaders: StreamReaders = {
  messages: readChat,
  questions: writeQuestionEvents,
  movedRooms: listMovedRooms,
  readableFrom,
};

/** Where downloads get their bytes. */
const fileReader = { partBytes: PART_BYTES, readPart };

/** What `/metrics` asks the database. */
const figureReaders = { readFigures, findVerifiedBackup };

const readers = { streamReaders, fileReader, figureReaders };

async function readChat(tx: Tx, organization: string, room: number, numbers: readonly number[]) {
  return (await listMessagesByNumbers(tx, organization, room, numbers)).map((row) => toMessage(row, tx.now));
}

/** The settings that rules see. */
export function ruleSettings(settings: Settings, store: Store, listening: { readonly port: number }): RuleSettings {
  const { CREWROOM_LEASE_MINUTES: leaseMinutes, CREWROOM_MAX_WAIT_SECONDS: maxWaitSeconds } = settings;
  const posture = {
    store: store.kind,
    public_url: settings.CREWROOM_PUBLIC_URL ?? null,
    allowed_hosts: settings.CREWROOM_ALLOWED_HOSTS,
    trusted_proxies: settings.CREWROOM_TRUSTED_PROXIES,
    auth_fail_limit: settings.CREWROOM_AUTH_FAIL_LIMIT,
    max_wait_seconds: maxWaitSeconds,
    max_file_bytes: settings.CREWROOM_MAX_FILE_BYTES,
    file_quota_mb: settings.CREWROOM_FILE_QUOTA_MB,
    lease_minutes: leaseMinutes,
    /** Whether other nodes' news come at once; null while that is not known. */
    get hears_other_nodes() {
      return store.hears() ?? null;
    },
  };
  return {
    leaseMinutes,
    maxWaitSeconds,
    maxFileBytes: settings.CREWROOM_MAX_FILE_BYTES,
    fileQuotaBytes: settings.CREWROOM_FILE_QUOTA_MB * 1_048_576,
    wakesPerHour: settings.CREWROOM_WAKES_PER_HOUR,
    version: VERSION,
    get url() {
      return reachableUrl(settings, listening.port);
    },
    get addresses() {
      return addressesOf(settings, listening.port);
    },
    posture,
    outboundHosts: settings.CREWROOM_OUTBOUND_HOSTS,
    pushKey: () => openPushKey(openSecretKey(settings)).publicKey,
    seal: openSeal(() => openSecretKey(settings)),
    node: randomUUID(),
    // One process serves a file, so whatever another one had under way died with it.
    otherNodesMs: store.kind === "sqlite" ? 0 : OTHER_NODES_MS,
  };
}
