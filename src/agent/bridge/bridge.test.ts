import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { ENVELOPE, HANDSHAKE, openSession } from "../../testkit/bridge.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { connect } from "../../testkit/mcp-client.ts";
import { isAlive } from "../own-folder.ts";

const names = ({ tools }: Value) => (tools as Value[]).map(({ name }) => name as string);

onEachStore("the bridge", (start) => {
  test("offers and does what the hub does, to clients of both eras", async () => {
    await using hub = await start();
    await using session = await openSession(hub, "box2");
    await using bridge = session.bridge();
    await using direct = await connect(hub, "box2");
    const tools = (await direct.tools()).map(({ name }) => name);

    const discovered = await bridge.ask("server/discover", { _meta: ENVELOPE });
    const modern = await bridge.ask("tools/list", { _meta: ENVELOPE });
    const posted = await bridge.tool("post_message", { body: "hello" });
    const greeted = await bridge.ask("initialize", HANDSHAKE);
    bridge.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const legacy = await bridge.ask("tools/list");
    const called = await bridge.ask("tools/call", { name: "post_message", arguments: { body: "again" } });
    const resource = await bridge.ask("resources/list", { _meta: ENVELOPE });

    expect(discovered["result"].serverInfo ?? discovered["result"]._meta).toBeDefined();
    expect(names(modern["result"])).toEqual(tools);
    expect(names(legacy["result"])).toEqual(tools);
    expect(JSON.parse(posted)).toMatchObject({ message_id: 1 });
    expect(JSON.parse(called["result"].content[0].text)).toMatchObject({ message_id: 2 });
    expect(greeted["result"]).toMatchObject({
      protocolVersion: "2025-11-25",
      serverInfo: { name: "crewroom" },
      capabilities: { tools: { listChanged: true } },
    });
    expect(resource["result"].resources).toBeInstanceOf(Array);
  });

  test("hands every text on as it is, whatever ends a line elsewhere, and however it arrives", async () => {
    await using hub = await start();
    await using session = await openSession(hub, "box2");
    await using bridge = session.bridge();
    const body = 'a\u2028b\u2029c\u0085d\ne\r\nf "quoted" 😀 \u202e';
    const line = Buffer.from(
      `${JSON.stringify({ jsonrpc: "2.0", id: "x", method: "tools/call", params: { name: "post_message", arguments: { body }, _meta: ENVELOPE } })}\n`,
    );

    for (const byte of line) bridge.write(Buffer.from([byte]));
    const answer = await bridge.notification();
    const read = JSON.parse(await bridge.tool("read_messages")) as Value;

    expect(answer["id"]).toBe("x");
    expect((read["messages"] as Value[]).map((message) => message["body"] as string)).toEqual([body]);
  });

  test("answers what is no message, and lives on", async () => {
    await using hub = await start();
    await using session = await openSession(hub, "box2");
    await using bridge = session.bridge();

    bridge.write('nonsense\n[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n\n{"jsonrpc":"2.0","id":7,"result":{}}\n');
    const refused = [await bridge.notification(), await bridge.notification()];

    expect(refused.map(({ id, error }) => [id, error.code])).toEqual([
      [null, -32_700],
      [null, -32_600],
    ]);
    expect(await bridge.ask("ping")).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test("one that waits for news keeps no other, and waits no more when it is cancelled", async () => {
    await using hub = await start();
    await using session = await openSession(hub, "box2");
    await using bridge = session.bridge();
    let waited = false;

    const waiting = { name: "wait_for_change", arguments: { timeout_s: 40 }, _meta: ENVELOPE };
    void bridge.ask("tools/call", waiting).finally(() => (waited = true));
    const who = await bridge.tool("whoami");
    bridge.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n');
    await bridge.ask("ping");

    expect(JSON.parse(who)).toMatchObject({ user_id: "box2" });
    expect([waited, await bridge.end()]).toEqual([false, 0]);
  });

  test("calls as the session that the hook was last told of, so that /clear keeps the news apart and together", async () => {
    await using hub = await start();
    await using session = await openSession(hub, "box2");
    await using bridge = await session.following();
    await hub.as("box1").call("create_task", { title: "wire the lamp" });

    await session.hook.at("SessionEnd", { reason: "clear" });
    await session.hook.at("SessionStart", { session_id: "s2", source: "clear" });
    await bridge.tool("claim_task", { task_id: 1 });
    const standing = await session.hook.at("SessionStart", { session_id: "s2", source: "compact" });

    expect(standing.text).toContain("You hold #1 (in_progress");
    expect(standing.text).not.toContain("another session");
  });

  test("tells a wrong token in the hub's words, and proves its path where the token is right", async () => {
    await using hub = await start();
    await using session = await openSession(hub, "box2");
    await using stranger = session.bridge({ CREWROOM_TOKEN: "crw_agt_wrong" });
    await using _bridge = await session.following();

    const refused = await stranger.ask("initialize", HANDSHAKE);

    expect(refused["error"].message).toMatch(/^not_signed_in: The token is unknown, revoked or expired\./);
    await expect
      .poll(async () => {
        const { agents } = await hub.as("box1").call("list_agents");
        return (agents as Value[]).find((one) => one["agent"] === "box2")?.["paths"];
      })
      .toEqual(["bridge"]);
  });

  test("ends with its input, and when its parent is gone", async () => {
    await using hub = await start();
    await using session = await openSession(hub, "box2");
    await using bridge = await session.following();

    expect(await bridge.end()).toBe(0);
    const orphan = await session.orphan();
    await expect.poll(() => isAlive(orphan), { timeout: 15_000 }).toBe(false);
  });
});
