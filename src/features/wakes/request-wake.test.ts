import { expect, test } from "vitest";
import { readHead } from "../../core/event-log.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { askToWake, latestEvent, obedient } from "../../testkit/wakes.ts";
import { MOST_HOPS } from "./model.ts";

/** A busy machine takes its time. */
const PATIENCE = { timeout: 20_000 };

const RING = ["box1", "box2", "box3"];

async function pausesOf(hub: TestHub): Promise<string[]> {
  const events = await hub.eventsOf("lobby");
  return events.filter(({ kind }) => kind === "wakes_paused").map(({ detail = "" }) => detail);
}

async function messagesOf(hub: TestHub): Promise<number> {
  return (await hub.eventsOf("lobby")).filter(({ kind }) => kind === "message").length;
}

/** Posts as one of the cast, and gives the event's id. */
async function post(hub: TestHub, handle: string, body: string): Promise<number> {
  await hub.as(handle).call("post_message", { body });
  return latestEvent(hub);
}

onEachStore("request_wake", (start) => {
  test("stops a ring of obedient agents within eight hops, tells of it once, and goes on once a person acts", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await using ring = new AsyncDisposableStack();
    for (const [at, handle] of RING.entries()) {
      const next = RING[(at + 1) % RING.length];
      ring.use(await obedient(hub, handle, () => hub.as(handle).call("post_message", { body: `@${next} your turn` })));
    }

    await hub.as("boss").call("post_message", { body: "@box1 begin" });
    await expect.poll(() => pausesOf(hub), PATIENCE).toHaveLength(1);
    const first = await messagesOf(hub);
    await hub.as("boss").call("post_message", { body: "a bot's own noise" });
    await hub.as("ann").call("post_message", { body: "@box1 go on" });
    await expect.poll(() => pausesOf(hub), PATIENCE).toHaveLength(2);

    expect(first).toBe(1 + MOST_HOPS);
    expect(await messagesOf(hub)).toBe(first + 2 + MOST_HOPS);
    expect((await pausesOf(hub))[0]).toMatch(/^box\d: 8 wake-ups in a chain, the last by box\d$/);
    expect((await hub.as("box2").call("read_messages"))["count"]).toBe(first + 2 + MOST_HOPS);
  });

  test("stops agents that wait for each other, who are told why nothing wakes them", async () => {
    await using hub = await start();
    let since: string | undefined;
    let hops = 0;
    const waitAs = (handle: string) =>
      hub.as(handle).call("wait_for_change", { timeout_s: 1, ...(since && { since_id: since }) });
    for (;;) {
      since = String(await latestEvent(hub));
      await hub.as(RING[hops % 2] ?? "").call("post_message", { body: `@${RING[(hops + 1) % 2]} your turn` });
      const { changed } = await waitAs(RING[(hops + 1) % 2] ?? "");
      if (!changed) break;
      hops += 1;
    }

    const waiter = RING[(hops + 1) % 2] ?? "";
    expect(hops).toBe(MOST_HOPS);
    expect(await waitAs(waiter)).toMatchObject({
      changed: false,
      unread: 0,
      hint: expect.stringContaining("in a circle"),
    });
    expect(await waitAs("boss")).toMatchObject({ changed: false });
    expect(await hub.as("boss").call("wait_for_change", { timeout_s: 1 })).toMatchObject({ changed: true });
    expect((await hub.as(waiter).call("whats_new"))["events"]).not.toEqual([]);
  });

  test("wakes an agent no more once its budget is used, says so to its sender and its owner once, and goes on after a person's act or an hour", async () => {
    await using hub = await start({ CREWROOM_WAKES_PER_HOUR: "2" });
    await hub.seatPeople();
    const wakeFor = async (handle: string, body: string) =>
      askToWake(hub, "annbot", { events: [await post(hub, handle, body)] });

    const woken = [await wakeFor("box1", "@annbot 1"), await wakeFor("box1", "@annbot 2")];
    const refused = [await wakeFor("box1", "@annbot 3"), await wakeFor("box1", "@annbot 4")];
    const posted = await hub.as("box1").call("post_message", { body: "@annbot 5" });
    const afterPerson = await wakeFor("ben", "@annbot 6");
    const pauses = (await hub.eventsOf("lobby")).filter(({ kind }) => kind === "wakes_paused");
    await wakeFor("box1", "@annbot 7");
    const again = await wakeFor("box1", "@annbot 8");
    hub.later({ minutes: 61 });
    const later = await wakeFor("box1", "@annbot 9");

    expect(woken).toEqual([1, 2].map(() => ({ wake: true, hops: 1 })));
    expect(refused).toMatchObject([1, 2].map(() => ({ wake: false, reason: "budget" })));
    expect(posted["mentioned"]).toEqual([expect.objectContaining({ handle: "annbot", why_not: "wake_budget" })]);
    expect(pauses).toMatchObject([
      { actor: "crewroom", detail: "annbot: woken 2 times within the hour", concerns: ["ann"] },
    ]);
    expect([afterPerson["wake"], again["reason"], later["wake"]]).toEqual([true, "budget", true]);
    expect(await messagesOf(hub)).toBe(9);
  });

  test("wakes a session once for the same, whatever paths ask, and others for themselves", async () => {
    await using hub = await start();
    const events = [await post(hub, "box1", "@box2 look")];

    const asked = [];
    for (const from of [{ path: "watch" }, { path: "bridge" }, { session: "s2" }, { session: "-" }])
      asked.push((await askToWake(hub, "box2", { events }, from))["reason"] ?? "woken");
    await hub.as("box2").in("s3").call("whats_new");
    await expect
      .poll(async () => (await askToWake(hub, "box2", { events }, { session: "s3" }))["reason"], PATIENCE)
      .toBe("nothing_new");

    expect(asked).toEqual(["woken", "nothing_new", "woken", "woken"]);
  });

  test("wakes nobody for its own acts, for what it may not know of, or for a pause that is told of", async () => {
    await using hub = await start({ CREWROOM_WAKES_PER_HOUR: "1" });
    await hub.seatPeople();
    const own = await post(hub, "box2", "@box1 mine");
    await hub.as("box1").call("post_message", { body: "@opsbox elsewhere", room: "ops" });
    const elsewhere = (await hub.as("opsbox").call("read_events"))["latest_event_id"] as number;
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Which port?" });
    const ofOthers = elsewhere + 1;
    for (const body of ["@box3 1", "@box3 2"])
      await askToWake(hub, "box3", { events: [await post(hub, "box1", body)] });
    const paused = await latestEvent(hub);

    const reasons = [];
    for (const id of [own, elsewhere, ofOthers, paused, 99_999])
      reasons.push((await askToWake(hub, "box2", { events: [id] }))["reason"]);

    expect((await hub.eventsOf("lobby")).at(-1)).toMatchObject({ kind: "wakes_paused" });
    expect(reasons).toEqual(reasons.map(() => "nothing_new"));
    expect(await askToWake(hub, "benbot", { events: [ofOthers] })).toEqual({ wake: true, hops: 1 });
  });

  test("leaves nothing in a room that a read-only credential asked for", async () => {
    await using hub = await start({ CREWROOM_WAKES_PER_HOUR: "1" });
    const events = [await post(hub, "box1", "@watcher 1"), await post(hub, "box1", "@watcher 2")];
    const log = await hub.eventsOf("lobby");

    const asked = [];
    for (const id of events) asked.push((await askToWake(hub, "watcher", { events: [id] }))["wake"]);

    expect(asked).toEqual([true, false]);
    expect(await hub.eventsOf("lobby")).toEqual(log);
  });

  test("begins anew where a person speaks to the agent at its own terminal", async () => {
    await using hub = await start({ CREWROOM_WAKES_PER_HOUR: "1" });
    const wake = async (n: number) => askToWake(hub, "box2", { events: [await post(hub, "box1", `@box2 ${n}`)] });

    const before = [await wake(1), await wake(2)];
    await hub.as("box2").call("catch_up", { prompted: true });

    expect([...before, await wake(3)].map(({ wake: woken }) => woken)).toEqual([true, false, true]);
  });

  test("takes a person whose own session is woken for no person, unless it sits before a page of the hub", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const turns: [string, string][] = [
      ["ann", "ben"],
      ["ben", "ann"],
    ];
    let hops = 0;
    for (let turn = 0; ; turn += 1) {
      const [from = "", to = ""] = turns[turn % 2] ?? [];
      const { wake } = await askToWake(hub, to, { events: [await post(hub, from, `@${to} your turn`)] });
      if (!wake) break;
      hops += 1;
    }

    await (await hub.browser("ann")).call("post_message", { body: "I look at it; @ben wait" });

    expect(hops).toBe(MOST_HOPS);
    expect(await askToWake(hub, "ben", { events: [await latestEvent(hub)] })).toEqual({ wake: true, hops: 1 });
  });
});

onEachStore("a receipt", (start) => {
  const MOMENT = expect.stringMatching(/Z$/);
  const receiptsOf = async (hub: TestHub, of: object, handle = "box1") =>
    (await hub.as(handle).call("get_receipts", of))["receipts"];

  test("tells by which path a member was woken for a message or a task that was handed to it", async () => {
    await using hub = await start();
    const message = await post(hub, "box1", "@box2 @box3 look");
    await hub.as("box1").call("create_task", { title: "wire the lamp", assignee: "box2" });
    const events = [message, await latestEvent(hub)];

    await askToWake(hub, "box2", { woken_for: events }, { path: "bridge" });
    await askToWake(hub, "box2", { woken_for: [...events, 1, 99_999] }, { path: "watch" });
    const [box2] = await receiptsOf(hub, { message_id: 1 });
    const [task] = await receiptsOf(hub, { task_id: 1 });
    await hub.as("box2").in("s1").call("whats_new");
    await expect.poll(async () => (await receiptsOf(hub, { task_id: 1 }))[0].state, PATIENCE).toBe("handed_over");
    await hub.as("box2").call("claim_task", { task_id: 1 });

    expect(box2).toMatchObject({ member: "box2", state: "nudged", nudged: { path: "bridge", ts: MOMENT } });
    expect(task).toEqual({
      member: "box2",
      state: "nudged",
      nudged: { path: "bridge", ts: MOMENT },
      paths: ["bridge", "watch"],
      last_seen: MOMENT,
    });
    expect((await receiptsOf(hub, { task_id: 1 }))[0]).toEqual({
      member: "box2",
      state: "acknowledged",
      nudged: { path: "bridge", ts: MOMENT },
      handed_over: { path: "tool", session: "s1", ts: MOMENT },
      acknowledged_ts: MOMENT,
    });
  });

  test("says why something does not arrive: revoked, not granted, woken no more, away", async () => {
    await using hub = await start({ CREWROOM_WAKES_PER_HOUR: "1" });
    await hub.add("mover", { rooms: ["lobby"] });
    for (const body of ["@chief 1", "@chief 2"])
      await askToWake(hub, "chief", { events: [await post(hub, "box1", body)] });
    await hub.as("box1").call("post_message", { body: "@box2 @box3 @chief @mover look" });
    await hub.as("boss").call("revoke_token", { agent: "box2" });
    await hub.as("boss").call("revoke_token", { agent: "mover" });
    await hub.add("mover", { rooms: ["ops"] });

    const receipts = await receiptsOf(hub, { message_id: 3 });

    expect(receipts).toMatchObject([
      { member: "box2", state: "stored", why_not: "revoked" },
      { member: "box3", state: "stored", why_not: "away" },
      { member: "chief", state: "stored", why_not: "wake_budget", paths: ["watch"] },
      { member: "mover", state: "stored", why_not: "not_granted" },
    ]);
  });

  test("tells who hands a task on how far that came to whom, and nothing where it went nowhere", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "wire the lamp", claim: true });
    const own = await receiptsOf(hub, { task_id: 1 });
    await hub.as("box1").call("release_task", { task_id: 1, to: "box3" });

    expect(own).toEqual([]);
    expect(await receiptsOf(hub, { task_id: 1 })).toEqual([
      { member: "box3", state: "stored", paths: [], last_seen: null, why_not: "away" },
    ]);
    expect(await hub.as("box1").try("get_receipts", { task_id: 9 })).toMatchObject({ code: "task_not_found" });
    expect(await hub.as("box1").try("get_receipts", {})).toMatchObject({ code: "bad_input" });
    expect(await hub.as("box1").try("get_receipts", { task_id: 1, message_id: 1 })).toMatchObject({
      code: "bad_input",
    });
  });

  test("tells both people of a question how far it came, and its end, and nobody else", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "Which port?" });
    const { position: asked } = await hub.hub.store.read((tx) => readHead(tx, "main"));
    await askToWake(hub, "benbot", { woken_for: [asked] });
    const nudged = await receiptsOf(hub, { question_id: 1 }, "annbot");
    await hub.as("benbot").in("b1").call("whats_new");
    await expect
      .poll(async () => (await receiptsOf(hub, { question_id: 1 }, "ann"))[0].state, PATIENCE)
      .toBe("handed_over");
    await hub.as("ben").call("decline_question", { message_id: 1, reason: "Ask the docs." });
    const ended = await receiptsOf(hub, { question_id: 1 }, "benbot");
    await hub.as("annbot").in("a1").call("whats_new");

    expect(nudged).toMatchObject([{ member: "ben", state: "nudged", nudged: { path: "watch" } }]);
    expect(ended).toMatchObject([
      { member: "ben", state: "handed_over" },
      { member: "ann", state: "stored" },
    ]);
    await expect
      .poll(() => receiptsOf(hub, { question_id: 1 }, "ben"), PATIENCE)
      .toMatchObject([
        { member: "ben", state: "handed_over", handed_over: { path: "tool", session: "b1" } },
        { member: "ann", state: "handed_over", handed_over: { path: "tool", session: "a1" } },
      ]);
    for (const handle of ["cleo", "box1"])
      expect(await hub.as(handle).try("get_receipts", { question_id: 1 })).toMatchObject({
        code: "question_not_found",
      });
  });
});
