import { expect, test } from "vitest";
import { cutWatcher } from "../../testkit/cut-watcher.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { openLine } from "../../testkit/other-servers.ts";
import { watchMachine } from "../../testkit/watch.ts";

async function post(hub: TestHub, body: string): Promise<number> {
  return (await hub.as("box1").call("post_message", { body }))["message_id"] as number; // the operation's own answer
}

onEachStore("the watcher", (start) => {
  // The long form, 500 posts and 50 cuts, is in `npm run test:soak`.
  test("tells each message once and none that is old, however often its line is cut", async () => {
    await using hub = await start({ CREWROOM_WAKES_PER_HOUR: "0" });
    await using line = await openLine(hub.url);
    using box2 = watchMachine({ url: line.url, token: hub.token }, "box2");
    for (let n = 0; n < 5; n++) await post(hub, `@box2 old ${n}`);
    await using watcher = await box2.watch();

    const problems = await cutWatcher(line, watcher, () => post(hub, "@box2 look"), { posts: 40, cuts: 4 });

    expect(problems).toEqual([]);
  }, 60_000);

  test("has one line for 500 events within its interval, and one at once for a mention among them", async () => {
    await using hub = await start();
    using box2 = watchMachine(hub, "box2");
    await using watcher = await box2.watch({ CREWROOM_WATCH_MIN_INTERVAL: "3600" }, ["--mode", "all"]);
    const lines: string[] = [];

    await post(hub, "the first of many");
    lines.push(await watcher.next());
    for (let n = 0; n < 25; n++) await Promise.all(Array.from({ length: 20 }, () => post(hub, "noise")));
    await hub.as("box2").call("post_message", { body: "@box2 its own" });
    await post(hub, "@box2 look");
    lines.push(await watcher.next());

    expect(lines[0]).toBe("[crewroom] lobby: 1 new (m1 by box1); whats_new has them");
    expect(lines[1]).toMatch(/^\[crewroom\] lobby: 501 new, 1 for you \(m503 by box1, m501 by box1, /);
    expect(lines[1]?.length).toBeLessThanOrEqual(200);
  }, 90_000);
});
