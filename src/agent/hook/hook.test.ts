import { expect, test } from "vitest";
import { hookMachine } from "../../testkit/hook.ts";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("the hook", (start) => {
  test("brings what others wrote with the next prompt, in a frame, once, and then prints nothing at all", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    await hub.as("box1").call("post_message", { body: "The poller is live; @box2 can retire the old sensors." });

    const first = await box2.at("UserPromptSubmit");
    const second = await box2.at("UserPromptSubmit");
    const third = await box2.at("PostToolBatch");

    expect(first).toMatchObject({ code: 0, err: expect.stringContaining("printed") });
    expect(first.text).toMatch(/\| The poller is live/);
    expect([second.out, third.out]).toEqual(["", ""]);
  });
});
