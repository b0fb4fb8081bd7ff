import { expect, it } from "vitest";
import { readSettings } from "../config.ts";
import { startHub } from "../hub.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { openReceiver, type Received } from "../testkit/receiver.ts";

const details = (received: readonly Received[]) =>
  received.map(({ body }) => (JSON.parse(body) as { data: { detail: string } }).data.detail);

/** Another process of the same hub, or the same one started again. */
function startAgain(hub: TestHub, host: string) {
  const settings = readSettings({
    PORT: "0",
    CREWROOM_LOG: "silent",
    CREWROOM_SECRET_KEY: "a secret of the tests, which is long enough",
    CREWROOM_OUTBOUND_HOSTS: host,
    ...hub.database,
  });
  return startHub(settings, { trustDatabase: true });
}

onEachStore("a follower", (start, kind) => {
  it("goes on where it stopped when its hub is started again", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    await hub.as("boss").call("create_hook", { direction: "out", url: receiver.url });
    await hub.as("box1").call("post_message", { body: "one" });
    await receiver.arrivals(1);
    await hub.hub.bridges.work();
    receiver.answer(500);
    await hub.as("box1").call("post_message", { body: "two" });
    await hub.as("box1").call("post_message", { body: "three" });
    await receiver.arrivals(2);
    await hub.stop();

    receiver.answer(204);
    const again = await startAgain(hub, receiver.host);
    await receiver.arrivals(4);
    await again.close();

    const distinct = details(receiver.received).filter((detail, at, all) => detail !== all[at - 1]);
    expect(distinct).toEqual(["one", "two", "three"]);
  });

  it("that is stopped in the middle leaves nothing out, and repeats only what was under way", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    await hub.as("boss").call("create_hook", { direction: "out", url: receiver.url });
    const bodies = Array.from({ length: 60 }, (_, at) => `m${at}`);
    for (const body of bodies) await hub.as("box1").call("post_message", { body });
    await receiver.arrivals(3);
    await hub.stop();

    const again = await startAgain(hub, receiver.host);
    await again.bridges.work();
    await again.close();

    const distinct = details(receiver.received).filter((detail, at, all) => all.indexOf(detail) === at);
    expect(distinct).toEqual(bodies);
    expect(receiver.received.length).toBeLessThanOrEqual(bodies.length + 1);
  });

  // A SQLite file has one server.
  if (kind === "sqlite") return;
  it("is worked on by one of two nodes, so that each event leaves once", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    const second = await startAgain(hub, receiver.host);
    await hub.as("boss").call("create_hook", { direction: "out", url: receiver.url });

    const bodies = Array.from({ length: 40 }, (_, at) => `m${at}`);
    for (const [at, body] of bodies.entries()) {
      const { url } = at % 2 === 0 ? hub : second;
      const headers = { authorization: `Bearer ${hub.token("box1")}`, "content-type": "application/json" };
      await fetch(`${url}/api/post_message`, { method: "POST", headers, body: JSON.stringify({ body }) });
    }
    await receiver.arrivals(bodies.length);
    await hub.hub.bridges.work();
    await second.close();

    expect(details(receiver.received)).toEqual(bodies);
  });
});
