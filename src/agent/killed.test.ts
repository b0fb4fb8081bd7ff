import { expect, test } from "vitest";
import { hookMachine } from "../testkit/hook.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { KILL_POINTS, killHooks, killWatchers, type Sender } from "../testkit/killed.ts";
import { watchMachine } from "../testkit/watch.ts";

/** box1 sends to box2. */
function senderOf(hub: TestHub): Sender {
  return {
    send: async (body) =>
      (await hub.as("box1").call("post_message", { body: `@box2 ${body}` }))["message_id"] as number,
    stateOf: async (message_id) => (await hub.as("box1").call("get_receipts", { message_id }))["receipts"][0].state,
  };
}

// The long form, a thousand sends, is in `npm run test:soak`.
onEachStore("a receiver that is killed", (start) => {
  test("with the hook at each point of its work loses nothing, shows nothing twice unmarked, and counts nothing as seen that was not", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");

    expect(await killHooks(box2, senderOf(hub), { rounds: KILL_POINTS.length, each: 2 })).toEqual([]);
  }, 60_000);

  test("with the watcher at each point leaves no nudge that was none; what it did not tell is still to come", async () => {
    await using hub = await start();
    using box2 = watchMachine(hub, "box2");

    expect(await killWatchers(box2, senderOf(hub), { rounds: KILL_POINTS.length })).toEqual([]);
    const { events } = await hub.as("box2").in("s1").call("whats_new");
    expect(events).toHaveLength(KILL_POINTS.length);
  }, 60_000);
});
