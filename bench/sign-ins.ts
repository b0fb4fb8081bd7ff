// What a storm of wrong sign-ins costs everybody else: one caller's calls without and with it, in turn.
//   node bench/sign-ins.ts [rounds] [calls per round] [wrong sign-ins a second]
import { Agent, request } from "node:http";
import { loadOn, startLoad, startServer } from "./processes.ts";

const [rounds = 5, calls = 1_000, perSecond = 200] = process.argv.slice(2).map(Number);
const TICK_MS = 5;

// Behind a proxy, so that the storm can come from many addresses.
const hub = await startServer("hub", 1_000, { BENCH_PROXIES: "127.0.0.1" });
const load = await startLoad();
const token = hub.ready.tokens["load0"] ?? "";
const REQUESTS = {
  list_tasks: post("list_tasks", { limit: 20 }),
  post_message: post("post_message", { body: "The build is green again; I go on with the parser." }),
};

for (const [name, wire] of Object.entries(REQUESTS)) {
  const ratios: { p50: number; p99: number }[] = [];
  const answers = new Map<string, number>();
  for (let round = -1; round < rounds; round++) {
    const quiet = await loadOn(load, hub, { callers: 1, calls, requests: [wire] });
    const end = startStorm(answers);
    const stormy = await loadOn(load, hub, { callers: 1, calls, requests: [wire] });
    await end();
    if (quiet.failed + stormy.failed > 0) throw new Error(`${quiet.failed + stormy.failed} calls failed.`);
    if (round >= 0) ratios.push({ p50: stormy.p50 / quiet.p50, p99: stormy.p99 / quiet.p99 });
  }
  const of = (pick: (ratio: (typeof ratios)[number]) => number) => median(ratios.map(pick)).toFixed(2);
  const told = [...answers].map(([code, count]) => `${count} ${code}`).join(", ");
  console.log(
    `  ${name.padEnd(14)} with the storm ÷ without: p50 ${of((r) => r.p50)}, p99 ${of((r) => r.p99)}   (${told})`,
  );
}
for (const child of [hub, load]) child.stop();

/** Sends wrong sign-ins at a steady rate, each from another address, whatever comes back. Gives how to end it. */
function startStorm(answers: Map<string, number>): () => Promise<void> {
  const agent = new Agent({ keepAlive: true });
  let sent = 0;
  let open = 0;
  async function guess(index: number) {
    open += 1;
    const code = await signIn(agent, index);
    open -= 1;
    answers.set(code, (answers.get(code) ?? 0) + 1);
  }
  const timer = setInterval(() => {
    for (let due = 0; due < (perSecond * TICK_MS) / 1_000; due += 1) {
      sent += 1;
      void guess(sent);
    }
  }, TICK_MS);
  return async () => {
    clearInterval(timer);
    while (open > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    agent.destroy();
  };
}

function signIn(agent: Agent, index: number): Promise<string> {
  const body = JSON.stringify({ org_id: "main", user_id: `user${index % 500}`, password: `guess ${index}` });
  const headers = {
    "content-type": "application/json",
    "x-forwarded-for": `198.18.${Math.floor(index / 250) % 250}.${index % 250}`,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port: hub.ready.port, path: "/api/login", method: "POST", agent, headers },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        incoming.on("end", () => resolve((JSON.parse(text) as { error: { code: string } }).error.code)); // none is right
      },
    );
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

function post(operation: string, input: object): string {
  const body = JSON.stringify(input);
  return [
    `POST /api/${operation} HTTP/1.1`,
    "host: 127.0.0.1",
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
