import { expect, it } from "vitest";
import { onEachStore } from "../testkit/hub.ts";
import { connect } from "../testkit/mcp-client.ts";

const WHATS_NEW = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whats_new", arguments: {} } };

onEachStore("whats_new over /mcp", (start) => {
  it.each(["modern", "legacy"] as const)("hands each event over once, %s era", async (era) => {
    await using hub = await start();
    await hub.as("box2").call("post_message", { body: "one" });
    await using box1 = await connect(hub, "box1", era);

    const first = await box1.call("whats_new", {});
    // What nobody called written out would be handed out again by now.
    hub.later({ hours: 1 });
    const second = await box1.call("whats_new", {});

    expect(first["events"].map(({ detail }: { detail: string }) => detail)).toEqual(["one"]);
    expect(second["events"]).toEqual([]);
  });

  it("moves the place for an answer in a list of messages too", async () => {
    await using hub = await start();
    await hub.as("box2").call("post_message", { body: "one" });

    const response = await hub.as("box1").fetch("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([WHATS_NEW, { jsonrpc: "2.0", id: 2, method: "ping" }]),
    });
    const answers = (await response.json()) as { result: unknown }[];

    hub.later({ hours: 1 });
    expect(JSON.stringify(answers)).toContain("one");
    expect((await hub.as("box1").call("whats_new"))["events"]).toEqual([]);
  });
});
