import { createServer as createHttp } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { expect, test } from "vitest";
import { startTestHub, type TestHub } from "../testkit/hub.ts";
import { followStream, type StreamFrame } from "./event-stream.ts";
import { HubRefusal, HubUnreachable, openHubClient } from "./hub-client.ts";

/** A line to the hub that can be cut, as networks do. */
async function openLine(hub: TestHub) {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(hub.hub.port, "127.0.0.1");
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.pipe(to);
    }
    open.add(near);
    near.on("close", () => open.delete(near));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    cut() {
      for (const socket of open) socket.destroy();
    },
    [Symbol.dispose]() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // it listens on an address
}

test("call gives the answer of the operation it names, and its refusal as an error with the code", async () => {
  await using hub = await startTestHub("sqlite");
  const client = openHubClient({ url: `${hub.url}/`, token: hub.token("box1"), session: "s1" });

  const { message_id } = await client.call("post_message", { body: "hi", idempotency_key: "k1" });
  const again = await client.call("post_message", { body: "hi", idempotency_key: "k1" });
  const refusal = await client.call("get_task", { task_id: 9 }).catch((error: unknown) => error);

  expect([message_id, again.message_id]).toEqual([1, 1]);
  expect(refusal).toBeInstanceOf(HubRefusal);
  expect(refusal).toMatchObject({ code: "task_not_found", status: 404, data: { task: 9, room: "lobby" } });
});

test("call tells a hub that cannot be reached from one that refuses", async () => {
  const silent = createHttp((_, response) =>
    response.writeHead(502, { "content-type": "text/html" }).end("<p>Bad gateway"),
  );
  const port = await listen(silent);

  const away = openHubClient({ url: "http://127.0.0.1:1", token: "x" });
  const proxy = openHubClient({ url: `http://127.0.0.1:${port}`, token: "x" });
  const errors = await Promise.all(
    [away, proxy].map((client) => client.call("list_rooms", {}).catch((error: unknown) => error)),
  );
  silent.close();

  expect(errors).toEqual([expect.any(HubUnreachable), expect.any(HubUnreachable)]);
  expect(String(errors[1])).toContain("HTTP 502");
});

test("call carries its token nowhere but to the address it was given", async () => {
  const asked: (string | undefined)[] = [];
  const elsewhere = createHttp((request, response) => {
    asked.push(request.headers.authorization);
    response.end("{}");
  });
  const target = await listen(elsewhere);
  const redirecting = createHttp((_, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${target}/` }).end(),
  );
  const port = await listen(redirecting);

  const error = await openHubClient({ url: `http://127.0.0.1:${port}`, token: "secret" })
    .call("list_rooms", {})
    .catch((cause: unknown) => cause);
  elsewhere.close();
  redirecting.close();

  expect(error).toBeInstanceOf(HubUnreachable);
  expect(asked).toEqual([]);
});

test("followStream goes on after every cut: each event once, in order", async () => {
  await using hub = await startTestHub("sqlite");
  using line = await openLine(hub);
  const stop = new AbortController();
  const changes: string[] = [];
  const frames = followStream(
    { url: line.url, token: hub.token("box2") },
    { after: "now", signal: stop.signal, onChange: (change) => changes.push(change === "open" ? "open" : "lost") },
  );
  const bodies: string[] = [];
  let opened: (() => void) | undefined;
  const isOpen = new Promise<void>((resolve) => (opened = resolve));
  const reading = (async () => {
    for await (const frame of frames) {
      opened?.();
      if (isMessage(frame)) bodies.push(JSON.parse(frame.data).detail as string);
      if (bodies.length === 6) stop.abort();
    }
  })();
  await isOpen;

  for (let number = 0; number < 6; number += 1) {
    await hub.as("box1").call("post_message", { body: `${number}` });
    if (number % 2 === 1) line.cut();
  }
  await reading;

  expect(bodies).toEqual(["0", "1", "2", "3", "4", "5"]);
  expect(changes.filter((change) => change === "open").length).toBeGreaterThan(1);
});

test("followStream gives up when the hub refuses for good, and ends quietly when told to", async () => {
  await using hub = await startTestHub("sqlite");
  const collect = async (connection: { url: string; token: string }, options: Parameters<typeof followStream>[1]) => {
    for await (const _ of followStream(connection, options)) return "frames";
    return "ended";
  };

  const wrongToken = collect({ url: hub.url, token: "nope" }, {});
  const wrongRoom = collect({ url: hub.url, token: hub.token("box2") }, { room: "ops" });
  const told = collect({ url: hub.url, token: hub.token("box2") }, { signal: AbortSignal.abort() });

  await expect(wrongToken).rejects.toMatchObject({ status: 401 });
  await expect(wrongRoom).rejects.toMatchObject({ status: 403, code: "room_not_granted" });
  expect(await told).toBe("ended");
});

test("followStream ends with the token it was opened with", async () => {
  await using hub = await startTestHub("sqlite");
  const seen: StreamFrame[] = [];
  const following = (async () => {
    for await (const frame of followStream({ url: hub.url, token: hub.token("box2") }, { after: "now" }))
      seen.push(frame);
  })();
  following.catch(() => undefined);

  await hub.as("boss").call("revoke_token", { agent: "box2" });

  await expect(following).rejects.toMatchObject({ status: 401 });
});

function isMessage({ event, data }: StreamFrame): boolean {
  return event === "activity" && JSON.parse(data).kind === "message";
}
