// What a call over /mcp costs the server, beside a bare node:http JSON echo of the same answer size.
//   node bench/mcp-edge.ts [calls per round] [rounds] [callers]
// Server and load are two processes; each round measures every variant right after its echo, so that a busy machine slows
// both. Prints ratios of the server's processor time, medians over the rounds.
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [, script = "", ...given] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

if (process.send) await serve(given[0] ?? "");
else await measure(Number(given[0] ?? 1_500), Number(given[1] ?? 5), Number(given[2] ?? 64));

interface Variant {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

function variants(): Variant[] {
  const tasks = { name: "list_tasks", arguments: { limit: 20 } };
  const post = { name: "post_message", arguments: { body: "The build is green again; I go on with the parser." } };
  return [
    handshake("tools/call list_tasks, handshake", "tools/call", tasks),
    modern("tools/call list_tasks, modern", "tools/call", tasks),
    handshake("tools/call post_message, handshake", "tools/call", post),
    modern("tools/call post_message, modern", "tools/call", post),
    handshake("tools/list, handshake", "tools/list", {}),
    modern("tools/list, modern", "tools/list", {}),
    { name: "/api/list_tasks, for comparison", path: "/api/list_tasks", headers: {}, body: tasks.arguments },
    { name: "/api/post_message, for comparison", path: "/api/post_message", headers: {}, body: post.arguments },
    // What keeps a request from the direct way: a reserved key, an encoded name.
    handshake("through the SDK: list_tasks, handshake", "tools/call", {
      ...tasks,
      _meta: { "io.modelcontextprotocol/x": 1 },
    }),
    modern(
      "through the SDK: list_tasks, modern",
      "tools/call",
      tasks,
      `=?base64?${Buffer.from("list_tasks").toString("base64")}?=`,
    ),
  ];
}

function handshake(name: string, method: string, params: object): Variant {
  return {
    name,
    path: "/mcp",
    headers: { "mcp-protocol-version": "2025-11-25" },
    body: { jsonrpc: "2.0", id: 1, method, params },
  };
}

function modern(name: string, method: string, params: { readonly name?: string }, nameHeader = params.name): Variant {
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { roots: {}, elicitation: { form: {}, url: {} } },
  };
  const headers = {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(nameHeader && { "mcp-name": nameHeader }),
  };
  return { name, path: "/mcp", headers, body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } } };
}

async function measure(calls: number, rounds: number, callers: number) {
  const [hub, echo] = await Promise.all([start("hub"), start("echo")]);
  const cases = await Promise.all(
    variants().map(async (variant) => ({ variant, size: (await call(hub, variant)).length, ratios: [] as number[] })),
  );
  for (let round = -1; round < rounds; round++) {
    for (const { variant, size, ratios } of cases) {
      const fill = { name: "echo", path: "/echo", headers: {}, body: { ...(variant.body as object), fill: size } };
      const bare = await cpuPerCall(echo, fill, calls, callers);
      const ours = await cpuPerCall(hub, variant, calls, callers);
      if (round >= 0) ratios.push(ours / bare); // the first round only warms up
    }
  }
  process.stdout.write(
    `${calls} calls a round, ${rounds} rounds, ${callers} callers; processor time per call ÷ the echo's\n`,
  );
  for (const { variant, size, ratios } of cases) {
    const sorted = ratios.sort((a, b) => a - b);
    const [least, middle, most] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)].map((ratio) =>
      (ratio ?? 0).toFixed(2),
    );
    process.stdout.write(`${variant.name.padEnd(40)} ${middle}  (${least} to ${most})  ${size} bytes\n`);
  }
  for (const server of [hub, echo]) server.process.kill();
}

interface Server {
  readonly process: ChildProcess;
  readonly port: number;
  readonly token: string;
}

function start(kind: string): Promise<Server> {
  const child = fork(script, [kind], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return new Promise((resolve) => {
    // The child sends this once, first.
    child.once("message", (told) => resolve({ process: child, ...(told as { port: number; token: string }) }));
  });
}

/** Microseconds of the server's processor time. */
async function cpuPerCall(server: Server, variant: Variant, calls: number, callers: number): Promise<number> {
  const before = await cpuOf(server);
  let left = calls;
  const caller = async () => {
    while (left-- > 0) await call(server, variant);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return ((await cpuOf(server)) - before) / calls;
}

function cpuOf({ process: child }: Server): Promise<number> {
  return new Promise((resolve) => {
    child.once("message", (used) => resolve(Number(used)));
    child.send("cpu");
  });
}

function call({ port, token }: Server, { path, headers, body }: Variant): Promise<string> {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return new Promise((resolve, reject) => {
    const sending = request({
      agent,
      port,
      host: "127.0.0.1",
      path,
      method: "POST",
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "content-length": length,
      },
    });
    sending.on("error", reject);
    sending.on("response", (response) => {
      let answer = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (answer += chunk));
      response.on("end", () => (response.statusCode === 200 ? resolve(answer) : reject(new Error(answer))));
    });
    sending.end(text);
  });
}

async function serve(kind: string) {
  const told = kind === "hub" ? await serveHub() : await serveEcho();
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.once("disconnect", () => process.exit());
  process.send?.(told);
}

function serveEcho(): Promise<{ port: number; token: string }> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { fill, ...echoed } = JSON.parse(Buffer.concat(chunks).toString()) as { fill: number };
      const sent = JSON.stringify(echoed);
      const body = JSON.stringify({ echoed, fill: "x".repeat(Math.max(0, fill - sent.length)) });
      outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
      outgoing.end(body);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ port: (server.address() as AddressInfo).port, token: "none" }));
  });
}

async function serveHub(): Promise<{ port: number; token: string }> {
  const { readSettings } = await import("../src/config.ts");
  const { startHub } = await import("../src/hub.ts");
  const { addMember } = await import("../src/testkit/cast.ts");
  const { makeActor } = await import("../src/testkit/actor.ts");
  const folder = mkdtempSync(join(tmpdir(), "crewroom-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  process.on("SIGTERM", () => process.exit());
  const settings = {
    PORT: "0",
    CREWROOM_LOG: "silent",
    CREWROOM_CALLS_PER_MINUTE: "0",
    CREWROOM_DB: join(folder, "crewroom.db"),
  };
  const hub = await startHub(readSettings(settings));
  const token = await hub.store.write("main", (tx) => addMember(tx, "main", "box1", { rooms: ["lobby"] }));
  const box1 = makeActor(hub.url, "box1", token);
  for (let n = 1; n <= 20; n++)
    await box1.call("create_task", {
      title: `Mend part ${n} of the roof`,
      body: "It leaks when the wind is from the west.",
    });
  return { port: hub.port, token };
}
