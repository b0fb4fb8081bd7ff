import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { openReceiver } from "../testkit/receiver.ts";

const TOKEN = "a token of the operator's own";

onEachStore("/metrics", (start) => {
  it("counts calls by operation and outcome, what waits, and what the database holds", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("boss").call("post_message", { body: "@box1 look" });
    await hub.as("box1").call("whats_new");
    await hub.as("boss").call("create_task", { title: "one" });
    await hub.as("boss").try("claim_task", { task_id: 99 });
    await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "How many?" });
    hub.later({ seconds: 90 });

    const read = await readMetrics(hub);

    expect(read.get('crewroom_calls_total{operation="/api/claim_task",outcome="task_not_found"}')).toBe(1);
    expect(read.get('crewroom_call_seconds_count{operation="/api/post_message"}')).toBeGreaterThan(0);
    expect(read.get('crewroom_tasks{status="pending"}')).toBe(1);
    expect(read.get('crewroom_questions{state="pending"}')).toBe(1);
    expect(read.get('crewroom_questions_oldest_seconds{state="pending"}')).toBeGreaterThanOrEqual(90);
    expect(read.get('crewroom_deliveries_last_hour{path="tool"}')).toBe(1);
    expect(read.get("crewroom_log_events")).toBeGreaterThan(4);
    expect(read.get("crewroom_streams_open")).toBe(0);
    expect(read.has("crewroom_backup_verified_seconds")).toBe(false);
    expect(read.has("crewroom_process_resident_memory_bytes")).toBe(true);
    hub.later({ hours: 1 });
    expect((await readMetrics(hub)).has('crewroom_deliveries_last_hour{path="tool"}')).toBe(false);
  });

  it("tells what leaves and does not get through, and for how long", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    await hub.as("boss").call("create_hook", { direction: "out", url: receiver.url });
    receiver.answer(500);
    await hub.as("box1").call("post_message", { body: "one" });
    await receiver.arrivals(1);
    await hub.hub.bridges.work();
    hub.later({ seconds: 30 });

    const failing = await readMetrics(hub);
    receiver.answer(204);
    hub.later({ minutes: 10 });
    await hub.hub.bridges.work();
    const working = await readMetrics(hub);

    expect(failing.get('crewroom_outgoing_failing{kind="hook"}')).toBe(1);
    expect(failing.get('crewroom_outgoing_failing_seconds_longest{kind="hook"}')).toBeGreaterThanOrEqual(30);
    expect(working.has('crewroom_outgoing_failing{kind="hook"}')).toBe(false);
  });

  it("makes no name of an address that is not there", async () => {
    await using hub = await start();
    const paths = ["/none-1", "/api/none-2", "/v1/files/none-3", "/v1/inbound/none-4", "/join/none-5", "/ui/none-6"];
    for (const path of paths)
      for (const method of ["GET", "POST", "PUT", "DELETE"]) await fetch(`${hub.url}${path}`, { method });

    const names = [...(await readMetrics(hub)).keys()];

    expect(names.filter((name) => name.includes("none"))).toEqual([]);
    expect(names).toContain('crewroom_calls_total{operation="/v1/files/{file_id}",outcome="not_signed_in"}');
  });

  it("is not there for others than the hub's own machine, unless they have its token", async () => {
    await using local = await start();
    await using kept = await start({ CREWROOM_METRICS_TOKEN: TOKEN });
    const ask = async (hub: TestHub, headers: Record<string, string>) =>
      (await fetch(`${hub.url}/metrics`, { headers })).status;

    expect(await ask(local, {})).toBe(200);
    expect(await ask(local, { "x-forwarded-for": "203.0.113.9" })).toBe(404);
    expect(await ask(kept, {})).toBe(404);
    expect(await ask(kept, { authorization: `Bearer ${TOKEN}x` })).toBe(404);
    expect(await ask(kept, { authorization: `Bearer ${TOKEN}`, "x-forwarded-for": "203.0.113.9" })).toBe(200);
  });
});

async function readMetrics(hub: TestHub): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${hub.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}
