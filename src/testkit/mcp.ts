import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { openPasswords } from "../access/passwords.ts";
import { openThrottle } from "../access/throttle.ts";
import type { Core } from "../core/execute.ts";
import { openFeed } from "../core/feed.ts";
import { openHandovers } from "../core/handovers.ts";
import { type Log, openLog } from "../core/log.ts";
import {
  type Caller,
  defineOperation,
  defineRoomOperation,
  defineWait,
  type Operation,
  type Role,
} from "../core/operation.ts";
import { json, type Reply, type SignedAsk, send } from "../edge/exchange.ts";
import { readJson } from "../edge/json-body.ts";
import { openMcp } from "../edge/mcp.ts";
import { openDirectWay } from "../edge/mcp-direct.ts";
import { makePrompts } from "../edge/mcp-prompts.ts";
import { makeResources } from "../edge/mcp-resources.ts";
import { openSdkWay } from "../edge/mcp-sdk.ts";
import { makeToolTable } from "../edge/mcp-tools.ts";
import { makeOrganization } from "../features/organizations/make-organization.ts";
import { openSqlite } from "../store/sqlite.ts";
import { makeDatabase } from "./databases.ts";

/** The MCP edge alone: a few operations of its own over a real store, on a real socket, for a caller made by hand. */
export interface TestMcp extends AsyncDisposable {
  readonly url: string;
  /** Sends a body as it stands. */
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Asks both ways of answering: the direct one, and the SDK's. */
  bothWays(body: unknown, headers: Readonly<Record<string, string>>): Promise<BothWays>;
  /** How often each operation ran. */
  readonly runs: Map<string, number>;
  /** What the log got. */
  readonly logged: string[];
}

export interface BothWays {
  readonly direct?: unknown;
  readonly sdk: { readonly status: number; readonly body: unknown };
}

export interface TestMcpOptions {
  readonly roles?: readonly Role[];
  readonly operations?: readonly Operation[];
}

const greeting = z.strictObject({ greeting: z.string(), by: z.string() });

/** The operations of the test server: one of each sort. */
export function testOperations(runs = new Map<string, number>()): Operation[] {
  const count = (name: string) => void runs.set(name, (runs.get(name) ?? 0) + 1);
  return [
    defineRoomOperation({
      name: "read_greeting",
      title: "Read a greeting",
      description: "Gives a greeting that somebody wrote.",
      kind: "query",
      needs: "read",
      always: true,
      untrusted: ["greeting"],
      errors: [],
      input: z.strictObject({
        times: z.int().min(1).max(9).default(1).describe("How often"),
        loud: z.boolean().optional(),
        words: z.array(z.int()).max(5).optional(),
        tone: z.enum(["warm", "cold"]).optional(),
        title: z.string().max(40).optional(),
      }),
      output: greeting.extend({
        words: z.array(z.int()).optional(),
        loud: z.boolean().optional(),
        title: z.string().optional(),
      }),
      example: {},
      async run({ caller, answerBytes }, { times, ...rest }) {
        count("read_greeting");
        return { greeting: `${"hello ".repeat(times)}</answer>"}\u202e ${answerBytes}`, by: caller.handle, ...rest };
      },
    }),
    defineOperation({
      name: "write_greeting",
      title: "Write a greeting",
      description: "Writes one down.",
      kind: "command",
      needs: "write",
      errors: ["not_found"],
      input: z.strictObject({ text: z.string().min(1).max(100) }),
      output: z.strictObject({ ok: z.boolean(), number: z.int() }),
      example: { text: "hello" },
      async run({ emit }, { text }) {
        count("write_greeting");
        if (text === "broken") throw new Error("the secret reason");
        emit({ kind: "organization_created", detail: text });
        return { ok: true, number: runs.get("write_greeting") ?? 0 };
      },
    }),
    defineOperation({
      name: "rule_greetings",
      title: "Rule greetings",
      description: "Only for admins.",
      kind: "command",
      needs: "admin",
      errors: [],
      input: z.strictObject({}),
      output: z.strictObject({ ok: z.boolean() }),
      example: {},
      run: async () => ({ ok: true }),
    }),
    defineWait({
      name: "await_greeting",
      title: "Await a greeting",
      description: "Waits until the client is gone.",
      needs: "read",
      errors: [],
      input: z.strictObject({}),
      output: z.strictObject({ ended: z.boolean() }),
      example: {},
      async run({ signal }) {
        count("await_greeting");
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        count("await_greeting ended");
        return { ended: true };
      },
    }),
  ];
}

const LOBBY = { id: 1, name: "lobby" };

export function testCaller(roles: readonly Role[] = ["read", "write"]): Caller {
  return {
    organization: "main",
    handle: "box1",
    person: undefined,
    credential: "tok_box1",
    roles: new Set(roles),
    allRooms: false,
    rooms: new Map([["lobby", LOBBY]]),
    defaultRoom: LOBBY,
    session: "-",
    path: "tool",
    address: "127.0.0.1",
  };
}

export async function startTestMcp({ roles, operations: given }: TestMcpOptions = {}): Promise<TestMcp> {
  const runs = new Map<string, number>();
  const logged: string[] = [];
  const log = openLog("info", { write: (line: string) => void logged.push(line) });
  const { core, close } = await openCore();
  const operations = given ?? testOperations(runs);
  const mcp = openMcp({ core, operations, version: "1.2.3", log });
  const caller = testCaller(roles);
  const bothWays = openBothWays(core, log, operations);
  const server = createServer((incoming, outgoing) => {
    const { method = "", headers } = incoming;
    const trace = "trace-1";
    const ask = {
      method,
      path: "/mcp",
      query: "",
      headers,
      params: {},
      trace,
      address: "::1",
      incoming,
      outgoing,
      caller,
    };
    const replying = incoming.url === "/both" ? bothWays(ask) : mcp.handle(ask, noGuests);
    replying.then(
      (reply) => send(outgoing, reply, trace),
      (error: unknown) => outgoing.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  return {
    url: `${url}/mcp`,
    runs,
    logged,
    post: (body, headers) => post(`${url}/mcp`, body, headers),
    bothWays: async (body, headers) => (await (await post(`${url}/both`, body, headers)).json()) as BothWays, // made below
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
      await mcp.close();
      await close();
    },
  };
}

function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const sent = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  // A view of bytes is a body; its type says less than that.
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: sent as NonNullable<RequestInit["body"]>,
  });
}

function openBothWays(core: Core, log: Log, operations: readonly Operation[]) {
  const tools = makeToolTable(operations);
  const answerDirectly = openDirectWay("1.2.3", tools);
  const sdk = openSdkWay({
    version: "1.2.3",
    tools,
    prompts: makePrompts(operations),
    resources: makeResources(operations),
  });
  return async (ask: SignedAsk): Promise<Reply> => {
    const around = { core, log, ask, signInByTool: noGuests };
    const body = await readJson(ask.incoming, 1_000_000);
    const direct = await answerDirectly(body, around);
    const { status, body: text } = await sdk.serve(body, around);
    const seen = { status, body: text === "" ? null : JSON.parse(String(text)) };
    return json(200, { ...(direct !== undefined && { direct: JSON.parse(String(direct.body)) }), sdk: seen });
  };
}

const noGuests = () => Promise.reject(new Error("Nobody signs in by tools here."));

const NO_THROTTLE = openThrottle({ limit: 0, windowSeconds: 1 });

/** A core over a store in a file of its own, with one organization and its lobby in it. */
async function openCore(): Promise<{ core: Core; close(): Promise<void> }> {
  const database = await makeDatabase("sqlite");
  const store = await openSqlite({ path: database.settings["CREWROOM_DB"] ?? "" });
  await store.write("main", (tx) => makeOrganization(tx, { id: "main", name: "Main", by: "crewroom" }));
  const feed = openFeed(store, async () => new Map());
  const settings = {
    leaseMinutes: 30,
    maxWaitSeconds: 45,
    wakesPerHour: 60,
    maxFileBytes: 1_048_576,
    fileQuotaBytes: 10_485_760,
    version: "1.2.3",
    url: "http://hub.test",
    addresses: { lan: "http://hub.test", public: null },
    posture: {},
    outboundHosts: [],
    pushKey: () => "",
    seal: { close: (secret: string) => secret },
    node: "n1",
    otherNodesMs: 0,
  };
  return {
    core: {
      store,
      feed,
      handovers: openHandovers(),
      passwords: openPasswords({
        byAddress: NO_THROTTLE,
        byAccount: NO_THROTTLE,
        byOwner: NO_THROTTLE,
        limitStranger: async () => undefined,
      }),
      digestKey: new Uint8Array(32),
      sealKey: new Uint8Array(32),
      settings,
      admit: async () => undefined,
      committed: () => undefined,
      checkAnswers: true,
    },
    async close() {
      feed.close();
      await store.close();
      await database.remove();
    },
  };
}
