import { expect, test } from "vitest";
import type { Actor, Value } from "../testkit/actor.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { followStream } from "../testkit/stream.ts";

async function beat(actor: Actor, body: Value, headers: Record<string, string> = {}) {
  const response = await actor.fetch("/v1/presence", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, value: (await response.json()) as Value }; // our own routes answer JSON
}

const pathsOf = async (hub: TestHub, handle: string) => {
  const { agents } = await hub.as("box1").call("list_agents");
  return (agents as { agent: string; paths: string[] }[]).find(({ agent }) => agent === handle)?.paths;
};

const claimIn = async (hub: TestHub, session: string) => {
  await hub.as("box1").call("create_task", { title: "held" });
  return hub.as("box2").in(session).call("claim_task", { task_id: 1 });
};

const statusOf = async (hub: TestHub) => (await hub.as("box1").call("get_task", { task_id: 1 }))["task"].status;

onEachStore("POST /v1/presence", (start) => {
  test("shows a path as live for a minute, to those who send too, and nothing but that path", async () => {
    await using hub = await start();

    const answer = await beat(hub.as("watcher"), { session: "s1", path: "watch" });
    await beat(hub.as("box2"), { path: "bridge" }, { "x-crewroom-session": "s2" });
    const { mentioned } = await hub.as("box1").call("post_message", { body: "@box2 look" });
    const live = [await pathsOf(hub, "watcher"), await pathsOf(hub, "box2")];
    hub.later({ seconds: 61 });

    expect(answer).toEqual({ status: 200, value: { ok: true, session: "s1", path: "watch" } });
    expect(mentioned).toMatchObject([{ handle: "box2", paths: ["bridge"] }]);
    expect(live).toEqual([["watch"], ["bridge"]]);
    expect([await pathsOf(hub, "watcher"), await pathsOf(hub, "box2")]).toEqual([[], []]);
  });

  test("renews no lease by itself; a call of the hook does", async () => {
    await using hub = await start({ CREWROOM_LEASE_MINUTES: "30" });
    await beat(hub.as("box2"), { session: "s1", path: "watch" });
    await claimIn(hub, "s1");
    const keepOn = async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed += 10) {
        hub.later({ minutes: 10 });
        await beat(hub.as("box2").in("s1"), { path: "watch" });
      }
    };

    await keepOn(20);
    await hub
      .as("box2")
      .in("s1")
      .fetch("/v1/rooms", { headers: { "x-crewroom-path": "hook" } });
    await keepOn(20);
    const renewed = await statusOf(hub);
    await keepOn(20);

    expect([renewed, await statusOf(hub)]).toEqual(["in_progress", "pending"]);
    await hub
      .as("box3")
      .in("s3")
      .fetch("/v1/rooms", { headers: { "x-crewroom-path": "hook" } });
    expect(await pathsOf(hub, "box3")).toEqual(["hook"]);
  });

  test("makes a claim short, as something reaches its holder now", async () => {
    await using hub = await start();
    await beat(hub.as("box2"), { session: "s1", path: "bridge" });

    const { lease } = await claimIn(hub, "s1");

    expect(lease).toContain("30 min from your last tool or hook call");
  });

  test("ends what ran out before it notes that its member is back", async () => {
    await using hub = await start();
    await claimIn(hub, "s1");
    hub.later({ hours: 5 });

    await beat(hub.as("box2"), { session: "s1", path: "watch" });

    expect((await hub.eventsOf("lobby")).map(({ kind }) => kind)).toContain("task_lease_ended");
  });

  test("takes nothing but a path that proves itself, and a session's name", async () => {
    await using hub = await start();
    const box2 = hub.as("box2");

    const refused = [
      await beat(box2, { session: "s1", path: "tool" }),
      await beat(box2, { session: "s1", path: "hook" }),
      await beat(box2, { session: "s1" }),
      await beat(box2, { session: "not a name", path: "watch" }),
      await beat(box2, { session: 1, path: "watch" }),
      await beat(box2, { path: "watch", member: "box1" }),
      await beat(box2, { path: "watch" }, { "x-crewroom-path": "pigeon" }),
    ];
    const nobody = await fetch(`${hub.url}/v1/presence`, { method: "POST", body: "{}" });

    expect(refused.map(({ status, value }) => [status, value["error"].code])).toEqual(
      refused.map(() => [400, "bad_input"]),
    );
    expect(nobody.status).toBe(401);
    expect(await pathsOf(hub, "box2")).toEqual([]);
  });

  test("is the only way for who follows the stream: an open one proves nothing", async () => {
    await using hub = await start();
    await using _stream = await followStream(hub, "box2", "?after=now");

    const open = await pathsOf(hub, "box2");
    await beat(hub.as("box2"), { path: "watch" });

    expect([open, await pathsOf(hub, "box2")]).toEqual([[], ["watch"]]);
  });
});
