import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Role } from "../../src/testkit/cast.ts";
import type { Target } from "./http.ts";
import type { Random } from "./random.ts";
import { asking, startWorker, type Worker } from "./rpc.ts";

/** A database server for a run. `crash` kills all of it and starts it again. */
export interface PostgresServer {
  readonly url: string;
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export type Kind = "sqlite" | "postgres";

/** One hub process. It may be killed and started again; its port stays. */
export interface Node {
  readonly port: number;
  readonly pid: number;
  ask: Worker["ask"];
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it again on its port; resolves when it serves. */
  start(): Promise<void>;
  /** Ends it in good order. */
  close(): Promise<void>;
}

/** A database of its own and the hubs on it. */
export interface Arena {
  readonly kind: Kind;
  readonly nodes: readonly Node[];
  readonly random: Random;
  /** Where the database is: a file's path, or an address. */
  readonly database: string;
  /** Adds members to organization `main`, room `lobby`. */
  seat(handles: readonly string[], role?: Partial<Role>): Promise<void>;
  /** A member at the n-th node, counted round. */
  target(handle: string, node?: number): Target;
  targets(handles: readonly string[], node?: number): Target[];
  /** Rows, asked of the database itself. */
  rows<Row>(statement: string): Promise<Row[]>;
  close(): Promise<void>;
}

export interface ArenaOptions {
  readonly kind: Kind;
  readonly bundle: string;
  readonly nodes?: number;
  readonly random: Random;
  readonly postgres?: PostgresServer | undefined;
  /** A program that runs the hubs, such as a tracer, with its arguments. */
  readonly under?: readonly string[];
  /** More settings for the hubs, which may go by those of their database. */
  readonly settings?: (database: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
}

export async function openArena({
  kind,
  bundle,
  nodes: count = 1,
  random,
  postgres,
  under,
  settings,
}: ArenaOptions): Promise<Arena> {
  const database = await makeDatabase(kind, postgres);
  const environment = {
    CREWROOM_LOG: "silent",
    CREWROOM_CALLS_PER_MINUTE: "0",
    ...database.settings,
    ...settings?.(database.settings),
  };
  const nodes: Node[] = [];
  const tokens = new Map<string, string>();
  try {
    for (let made = 0; made < count; made++) nodes.push(await startNode(bundle, environment, under));
  } catch (error) {
    await database.remove();
    throw error;
  }

  function target(handle: string, node = 0): Target {
    const token = tokens.get(handle);
    const { port } = nodes[node % nodes.length] ?? {};
    if (!token || !port) throw new Error(`${handle} has no seat.`);
    return { port, token };
  }

  return {
    kind,
    nodes,
    random,
    database: database.place,
    rows: database.rows,
    target,
    targets: (handles, node) => handles.map((handle, index) => target(handle, node ?? index)),
    async seat(handles, role = {}) {
      const members = Object.fromEntries(handles.map((handle) => [handle, { rooms: ["lobby"], ...role }]));
      for (const [handle, token] of Object.entries(
        (await nodes[0]?.ask<Record<string, string>>("seat", members)) ?? {},
      ))
        tokens.set(handle, token);
    },
    async close() {
      await Promise.all(nodes.map((node) => node.kill()));
      await database.remove();
    },
  };
}

/** Starts a hub of a bundle, or of its source, on a free port. */
export async function startNode(
  bundle: string,
  environment: Readonly<Record<string, string>>,
  under: readonly string[] = [],
): Promise<Node> {
  let worker: Worker | undefined;
  let ended: Promise<void> = Promise.resolve();
  let port = 0;

  async function start() {
    const child = run(bundle, { ...process.env, ...environment, PORT: String(port) }, under);
    ended = new Promise((resolve) => child.once("exit", () => resolve()));
    worker = { ...asking(child), process: child, stop: () => child.kill("SIGKILL") };
    port = await worker.ask<number>("port");
  }

  await start();
  return {
    get port() {
      return port;
    },
    get pid() {
      return worker?.process.pid ?? 0;
    },
    ask(what, input) {
      if (!worker) return Promise.reject(new Error("The hub is not running."));
      return worker.ask(what, input);
    },
    start,
    async kill() {
      worker?.stop();
      await ended;
    },
    async close() {
      await worker?.ask("close");
      worker?.process.disconnect();
      await ended;
    },
  };
}

function run(bundle: string, env: NodeJS.ProcessEnv, under: readonly string[]) {
  const [program, ...args] = [...under, process.execPath, "--enable-source-maps", bundle] as const;
  const child = spawn(program, args, { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.on("error", () => undefined); // its end says so to whoever asks it something
  return child;
}

interface Database {
  readonly place: string;
  readonly settings: Readonly<Record<string, string>>;
  rows<Row>(statement: string): Promise<Row[]>;
  remove(): Promise<void>;
}

export function makeDatabase(kind: Kind, postgres: PostgresServer | undefined): Promise<Database> {
  if (kind === "sqlite") return makeFile();
  if (!postgres) throw new Error("There is no Postgres in this run.");
  return makeInPostgres(postgres.url);
}

async function makeFile(): Promise<Database> {
  const { DatabaseSync } = await import("node:sqlite");
  const folder = mkdtempSync(join(tmpdir(), "crewroom-soak-"));
  const path = join(folder, "crewroom.db");
  return {
    place: path,
    settings: { CREWROOM_DB: path, DATABASE_URL: "" },
    async rows<Row>(statement: string) {
      const db = new DatabaseSync(path, { timeout: 10_000 });
      try {
        return db.prepare(statement).all() as Row[]; // whoever asks names what its statement gives
      } finally {
        db.close();
      }
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

let made = 0;

async function makeInPostgres(server: string): Promise<Database> {
  const name = `soak_${process.pid}_${++made}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await ask(server, `create database ${name}`);
  return {
    place: url.href,
    settings: { DATABASE_URL: url.href, CREWROOM_SECRET_KEY: "the same for every node of an arena" },
    rows: (statement) => ask(url.href, statement),
    remove: async () => void (await ask(server, `drop database if exists ${name} with (force)`)),
  };
}

/** Asks a Postgres one thing on a connection of its own. Counts come as numbers. */
export async function ask<Row>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: url,
    types: { getTypeParser: (oid, format) => (oid === 20 ? Number : pg.types.getTypeParser(oid, format)) },
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[]; // as above
  } finally {
    await client.end();
  }
}

/** Processes full of clients. */
export interface Clients {
  readonly all: readonly Worker[];
  /** One of them, counted round. */
  at(index: number): Worker;
  stop(): void;
}

export function startClients(count: number): Clients {
  const all = Array.from({ length: count }, () => startWorker(join(import.meta.dirname, "clients.ts")));
  return {
    all,
    at(index) {
      const client = all[index % count];
      if (!client) throw new Error("There is no client.");
      return client;
    },
    stop: () => all.forEach((client) => client.stop()),
  };
}
