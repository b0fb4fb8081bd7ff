import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { spawnCommand } from "../testkit/command.ts";
import { startTestHub } from "../testkit/hub.ts";

const listen = async (port: number, listener?: Parameters<typeof createServer>[1]) => {
  const server = createServer({}, listener);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port }; // it listens on a port
};

test("tail says once that it goes on trying, where, and how to name another address; then that it follows again", async () => {
  const { server: placeholder, port } = await listen(0);
  placeholder.close();
  const url = `http://127.0.0.1:${port}`;

  const tail = spawnCommand(["tail"], { CREWROOM_URL: url, CREWROOM_TOKEN: "x" });
  const lines = createInterface({ input: tail.stderr! })[Symbol.asyncIterator]();
  const first = await lines.next();
  let tries = 0;
  const { server } = await listen(port, (request, response) => {
    tries += 1;
    if (tries === 1) return void request.socket.destroy();
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  });
  const second = await lines.next();
  tail.kill("SIGINT");
  const rest = await lines.next();
  const [code] = await once(tail, "exit");
  server.closeAllConnections();
  server.close();

  expect(first.value).toBe(
    `No Crewroom can be reached at ${url}: connect ECONNREFUSED 127.0.0.1:${port}. Trying again until it answers; Ctrl-C ends that. Start it there, or name the address that the server printed at its start, in CREWROOM_URL or --url.`,
  );
  expect(second.value).toBe(`Following ${url} again.`);
  expect([tries, rest.done, code]).toEqual([2, true, 0]);
});

test("tail tells a person's agent of its questions in numbers and handles", async () => {
  await using hub = await startTestHub("sqlite");
  await hub.seatPeople();
  await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "How many retries?" });

  const tail = spawnCommand(["tail"], { CREWROOM_URL: hub.url, CREWROOM_TOKEN: hub.token("benbot") });
  const lines = createInterface({ input: tail.stdout! })[Symbol.asyncIterator]();
  const shown = await lines.next();
  tail.kill("SIGINT");
  await once(tail, "exit");

  expect(shown.value).toMatch(/^\d\d:\d\d:\d\d annbot question_asked q1 from ann to ben$/);
});

test("tail shows all there is and the board, when it is asked to", async () => {
  await using hub = await startTestHub("sqlite");
  for (let number = 1; number <= 30; number++) await hub.as("box1").call("post_message", { body: `message ${number}` });
  await hub.as("box1").call("create_task", { title: "Host the\n  | poller", claim: true });

  const tail = spawnCommand(["tail", "--all", "--board", "--no-colour"], {
    CREWROOM_URL: hub.url,
    CREWROOM_TOKEN: hub.token("box2"),
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: tail.stdout! })) {
    lines.push(line);
    if (line.includes("task_created")) break;
  }
  tail.kill("SIGINT");
  await once(tail, "exit");

  expect(lines.slice(0, 4)).toEqual([
    "the board:",
    "  | #1 in_progress box1: Host the | poller",
    expect.stringMatching(/^[0-9:]+ m1 box1$/),
    "  | message 1",
  ]);
  expect(lines.filter((line) => line.startsWith("  | message"))).toHaveLength(30);
});
