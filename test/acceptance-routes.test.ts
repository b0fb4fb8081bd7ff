import { expect, test } from "vitest";
import type { Value } from "../src/testkit/actor.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";
import { followStream } from "../src/testkit/stream.ts";

/** The addresses that ChatRoomMCP's scripts call, over HTTP against a running hub. */

async function failedSignIns(hub: TestHub, count: number) {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) {
    const response = await fetch(`${hub.url}/v1/tasks`, { headers: { authorization: "Bearer crw_agt_wrong" } });
    statuses.push(response.status);
    await response.text();
  }
  return statuses;
}

onEachStore("the originals' addresses", (start) => {
  test("GET /v1/whats_new peeks, leaves own events out, and consumes nothing, HEAD neither; POST consumes", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box2").call("post_message", { body: "mine" });
    const count = async (method: string) => {
      const response = await hub.as("box2").fetch("/v1/whats_new", { method });
      expect(response.status).toBe(200);
      const text = await response.text();
      return method === "HEAD" ? text : (JSON.parse(text) as Value)["events"].length;
    };

    expect([
      await count("GET"),
      await count("HEAD"),
      await count("GET"),
      await count("POST"),
      await count("GET"),
    ]).toEqual([1, "", 1, 1, 0]);
  });

  test("/v1/tasks shows open tasks only, and the routes refuse a wrong token and an ungranted room", async () => {
    await using hub = await start();
    for (const title of ["open", "closed"]) await hub.as("box1").call("create_task", { title });
    await hub.as("box1").call("update_task", { task_id: 2, status: "cancelled" });

    const tasks = (await (await hub.as("box2").fetch("/v1/tasks")).json()) as Value;

    expect(tasks["tasks"].map((task: Value) => task["title"])).toEqual(["open"]);
    expect((await hub.as("box2").fetch("/v1/tasks?room=ops")).status).toBe(403);
    expect((await fetch(`${hub.url}/v1/tasks`, { headers: { authorization: "Bearer x" } })).status).toBe(401);
  });

  test("the stream replays with after=all, goes on live, and consumes nobody's news (P7)", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "before" });
    await using stream = await followStream(hub, "watcher", "?after=all");

    const replayed = await stream.next("chat");
    await hub.as("box1").call("post_message", { body: "live" });
    const live = await stream.next("chat");

    expect([replayed.data["body"], live.data["body"]]).toEqual(["before", "live"]);
    expect((await hub.as("box2").call("whats_new"))["count"]).toBe(2);
  });

  test("the retired addresses say what serves instead", async () => {
    await using hub = await start();

    for (const path of ["/messages", "/roster/x", "/roster/register"]) {
      const response = await fetch(`${hub.url}${path}`);
      expect([response.status, ((await response.json()) as Value)["error"].code]).toEqual([410, "gone"]);
    }
    expect(await (await fetch(`${hub.url}/health`)).json()).toEqual({ status: "ok" });
    expect(await (await fetch(`${hub.url}/healthz`)).text()).toBe("ok");
  });

  test("wrong credentials get 401, then 429 with Retry-After, while right ones go on", async () => {
    await using hub = await start();

    const statuses = await failedSignIns(hub, 22);
    const valid = await hub.as("box1").try("list_tasks");
    const after = await fetch(`${hub.url}/v1/tasks`, { headers: { authorization: "Bearer crw_agt_wrong" } });

    expect(statuses).toEqual([...Array(19).fill(401), 429, 429, 429]);
    expect(valid.ok).toBe(true);
    expect(after.status).toBe(429);
    expect(Number(after.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
