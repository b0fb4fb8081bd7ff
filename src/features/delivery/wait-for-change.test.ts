import { expect, test } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

/** The wait has begun when the hub has a seat for it. */
async function whenWaiting({ hub }: TestHub, seats = 1) {
  while (hub.core.feed.open < seats) await new Promise((resolve) => setImmediate(resolve));
}

onEachStore("wait_for_change", (start) => {
  test("ends when another member does something in the room", async () => {
    await using hub = await start();

    const waiting = hub.as("box2").call("wait_for_change", { timeout_s: 30 });
    await whenWaiting(hub);
    await hub.as("box1").call("post_message", { body: "hello" });
    const answer = await waiting;

    expect(answer).toEqual({
      changed: true,
      waited_s: expect.any(Number),
      unread: 1,
      cursor: expect.any(String),
      hint: "Read it with whats_new.",
    });
    expect(answer["waited_s"]).toBeLessThan(20);
  });

  test("is not woken by the caller's own acts nor by other rooms", async () => {
    await using hub = await start();

    const waiting = hub.as("box1").call("wait_for_change", { timeout_s: 30 });
    await whenWaiting(hub);
    await hub.as("box1").call("post_message", { body: "my own" });
    await hub.as("opsbox").call("post_message", { body: "elsewhere" });
    await hub.as("box1").call("post_message", { body: "my own, elsewhere", room: "ops" });
    await hub.as("box2").call("post_message", { body: "at last" });

    expect(await waiting).toMatchObject({ changed: true, unread: 1 });
  });

  test("says so when the time is up", async () => {
    await using hub = await start();
    await hub.as("box2").call("post_message", { body: "my own, before" });

    const answer = await hub.as("box2").call("wait_for_change", { timeout_s: 1 });

    expect(answer).toMatchObject({ changed: false, unread: 0 });
    expect(answer["waited_s"]).toBeGreaterThanOrEqual(1);
  });

  test("begins at the caller's own place, and reads nothing away", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box1").call("post_message", { body: "two" });

    const unread = await hub.as("box2").call("wait_for_change", { timeout_s: 30 });
    const news = await hub.as("box2").call("whats_new");
    const quiet = await hub.as("box2").call("wait_for_change", { timeout_s: 1 });

    expect([unread["unread"], news["count"], quiet["changed"]]).toEqual([2, 2, false]);
  });

  test("does not end at once again when its cursor is passed on", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "one" });

    const first = await hub.as("box2").call("wait_for_change", { timeout_s: 30 });
    const waiting = hub.as("box2").call("wait_for_change", { timeout_s: 30, since_id: first["cursor"] });
    await whenWaiting(hub);
    await hub.as("box1").call("post_message", { body: "two" });

    expect([first, await waiting]).toMatchObject([
      { changed: true, unread: 1 },
      { changed: true, unread: 1 },
    ]);
  });

  test("wakes everybody who waits, at once", async () => {
    await using hub = await start();
    const names = ["box2", "box3", "watcher", "chief"];

    const waiting = Promise.all(names.map((name) => hub.as(name).call("wait_for_change", { timeout_s: 30 })));
    await whenWaiting(hub, names.length);
    await hub.as("box1").call("post_message", { body: "hello" });

    expect((await waiting).map((answer) => answer["changed"])).toEqual([true, true, true, true]);
  });

  test("ends for those a question is news to, with how many, and goes on for everybody else", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const names = ["ben", "benbot", "ann", "annbot", "cleo", "box2"];

    const waiting = new Map(names.map((name) => [name, hub.as(name).call("wait_for_change", { timeout_s: 30 })]));
    await whenWaiting(hub, names.length);
    await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "How many retries?" });
    const asked = [await waiting.get("ben"), await waiting.get("benbot")];
    const cursor = asked[0]?.["cursor"];
    const again = hub.as("ben").call("wait_for_change", { timeout_s: 30, since_id: cursor });
    await whenWaiting(hub, names.length - 1);
    await hub.as("box1").call("post_message", { body: "at last" });

    const seen = ({ changed, unread, questions }: Record<string, unknown> = {}) => [changed, unread, questions];
    expect(asked.map(seen)).toEqual([
      [true, 0, 1],
      [true, 0, 1],
    ]);
    expect(seen(await again)).toEqual([true, 1, 0]);
    for (const name of ["ann", "annbot", "cleo"]) expect(seen(await waiting.get(name)), name).toEqual([true, 1, 0]);
    expect(seen(await waiting.get("box2"))).toEqual([true, 1, undefined]);
  });

  test("ends when its token is revoked", async () => {
    await using hub = await start();

    const waiting = hub.as("box2").try("wait_for_change", { timeout_s: 30 });
    await whenWaiting(hub);
    await hub.as("boss").call("revoke_token", { agent: "box2" });

    expect(await waiting).toMatchObject({ status: 401, code: "not_signed_in" });
  });

  test("cuts the time down to what the hub allows, and refuses none", async () => {
    await using hub = await start({ CREWROOM_MAX_WAIT_SECONDS: "1" });

    expect(await hub.as("box2").call("wait_for_change", { timeout_s: 1_000_000 })).toMatchObject({ changed: false });
    for (const timeout_s of [0, -1, 0.5, "5"]) {
      expect(await hub.as("box2").try("wait_for_change", { timeout_s })).toMatchObject({
        status: 400,
        code: "bad_input",
      });
    }
  });

  test("leaves nothing behind when the client goes", async () => {
    await using hub = await start();
    const control = new AbortController();

    const waiting = hub.as("box2").fetch("/api/wait_for_change", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ timeout_s: 30 }),
      signal: control.signal,
    });
    await whenWaiting(hub);
    control.abort();
    await expect(waiting).rejects.toThrow();
    while (hub.hub.core.feed.open > 0) await new Promise((resolve) => setImmediate(resolve));

    expect(hub.hub.core.feed.open).toBe(0);
  });
});
