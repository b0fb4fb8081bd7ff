import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { Aedes } from "aedes";
import { connectAsync } from "mqtt";
import { expect, it } from "vitest";
import { onEachStore } from "../testkit/hub.ts";

interface Published {
  readonly topic: string;
  readonly told: Readonly<Record<string, unknown>>;
  readonly retained: boolean;
}

/** A real broker on loopback, on a port of its own or again on one it had, with somebody who hears everything. */
async function openBroker(wanted = 0) {
  const broker = await Aedes.createBroker();
  const users: (string | undefined)[] = [];
  broker.authenticate = (_, name, password, done) => {
    users.push(name === undefined || name === null ? undefined : `${name} ${password?.toString()}`);
    done(null, true);
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    broker.handle(socket);
  });
  server.listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const url = `mqtt://127.0.0.1:${port}`;
  const published: Published[] = [];
  let heard = Promise.withResolvers<void>();
  const listener = await connectAsync(url, { reconnectPeriod: 0 });
  listener.on("message", (topic, payload, { retain }) => {
    published.push({ topic, told: JSON.parse(payload.toString()) as Published["told"], retained: retain });
    heard.resolve();
    heard = Promise.withResolvers();
  });
  await listener.subscribeAsync("#", { qos: 1 });
  return {
    url,
    port,
    published,
    users,
    /** Resolves once so much was published in all. */
    async arrivals(count: number) {
      while (published.length < count) await heard.promise;
      return published;
    },
    async [Symbol.asyncDispose]() {
      await listener.endAsync(true);
      for (const socket of sockets) socket.destroy();
      server.close();
      await new Promise<void>((closed) => broker.close(closed));
    },
  };
}

onEachStore("the MQTT bridge", (start) => {
  it("publishes what happens in every organization's rooms, and nothing between people", async () => {
    await using broker = await openBroker();
    await using hub = await start({
      CREWROOM_MQTT_URL: broker.url.replace("//", "//hub:p%40ss@"),
      CREWROOM_MQTT_PREFIX: "site/crew",
    });
    await hub.seatPeople();
    await hub.hub.bridges.work();

    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Between us?" });
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box1").call("create_task", { title: "two", room: "ops" });
    await hub.as("stranger").call("post_message", { body: "three" });
    await broker.arrivals(3);
    await hub.hub.bridges.work();

    expect(broker.published.map(({ topic }) => topic).toSorted()).toEqual([
      "site/crew/main/lobby/message",
      "site/crew/main/ops/task_created",
      "site/crew/other/lobby/message",
    ]);
    expect(broker.users).toEqual([undefined, "hub p@ss"]);
    const first = broker.published.find(({ topic }) => topic === "site/crew/main/lobby/message");
    expect(first).toMatchObject({
      retained: false,
      told: { room: "lobby", kind: "message", actor: "box1", task_id: null, message_id: 1, detail: "one" },
    });
    expect(Object.keys(first?.told ?? {})).toEqual(
      expect.arrayContaining(["id", "room", "ts", "kind", "actor", "task_id", "message_id", "detail"]),
    );
  });

  it("goes on where it stopped once a broker that was away is back", async () => {
    let port: number;
    {
      await using broker = await openBroker();
      port = broker.port;
    }
    await using hub = await start({ CREWROOM_MQTT_URL: `mqtt://127.0.0.1:${port}` });
    await hub.hub.bridges.work();
    await hub.as("box1").call("post_message", { body: "while it was away" });
    await hub.hub.bridges.work();

    await using back = await openBroker(port);
    await hub.as("box1").call("post_message", { body: "after" });
    hub.later({ minutes: 10 });
    await back.arrivals(2);

    expect(back.published.map(({ told }) => told["detail"])).toEqual(["while it was away", "after"]);
  });

  it("publishes again after its connection was lost, skipping nothing", async () => {
    const first = await openBroker();
    await using hub = await start({ CREWROOM_MQTT_URL: first.url });
    await hub.hub.bridges.work();
    await hub.as("box1").call("post_message", { body: "one" });
    await first.arrivals(1);
    await hub.hub.bridges.work();
    await first[Symbol.asyncDispose]();

    await hub.as("box1").call("post_message", { body: "two" });
    await using second = await openBroker(first.port);
    hub.later({ minutes: 10 });
    await second.arrivals(1);

    expect(second.published.map(({ told }) => told["detail"])).toEqual(["two"]);
  });
});
