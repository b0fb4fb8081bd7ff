import { expect, test } from "vitest";
import { makeActor } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("revoke_token", (start) => {
  test("ends one token at once and leaves the agent's others", async () => {
    await using hub = await start();
    const one = await hub.as("boss").call("create_token", { agent: "box9", room: "lobby" });
    const two = await hub.as("boss").call("create_token", { agent: "box9", room: "lobby" });
    const asOne = makeActor(hub.url, "box9", one["token"]);
    const asTwo = makeActor(hub.url, "box9", two["token"]);
    await asOne.call("list_rooms");

    const answer = await hub.as("boss").call("revoke_token", { token_id: one["id"] });

    expect(answer).toEqual({ ok: true, revoked: 1, token_ids: [one["id"]], agents: ["box9"] });
    expect(await asOne.try("list_rooms")).toMatchObject({ status: 401 });
    expect(await asTwo.try("list_rooms")).toMatchObject({ ok: true });
    expect((await hub.eventsOf(null)).at(-1)).toEqual({
      kind: "token_revoked",
      actor: "boss",
      detail: `box9 ${one["id"]}`,
      concerns: ["box9"],
    });
  });

  test("ends all of an agent, and a second time finds nothing to end", async () => {
    await using hub = await start();
    await hub.as("boss").call("create_token", { agent: "box2", room: "lobby" });

    const first = await hub.as("boss").call("revoke_token", { agent: "box2" });
    const second = await hub.as("boss").call("revoke_token", { agent: "box2" });

    expect([first["revoked"], second["revoked"]]).toEqual([2, 0]);
    expect(await hub.as("box2").try("list_rooms")).toMatchObject({ status: 401 });
  });

  test("ends a stream that is open within two seconds", async () => {
    await using hub = await start();
    const response = await hub.as("box2").fetch("/v1/stream?after=now");
    const ended = (async () => {
      for await (const _ of response.body ?? []) if (performance.now() > Number.MAX_SAFE_INTEGER) break;
    })().catch(() => undefined);

    await hub.as("boss").call("revoke_token", { agent: "box2" });
    await ended;

    expect((await hub.as("box2").fetch("/v1/rooms")).status).toBe(401);
  });

  test("ends the token it was called with only when that is meant", async () => {
    await using hub = await start();

    const refused = await hub.as("boss").try("revoke_token", { agent: "boss" });
    const stillThere = await hub.as("boss").try("list_tokens", {});
    const meant = await hub.as("boss").try("revoke_token", { agent: "boss", confirm_self: true });

    expect(refused).toMatchObject({ status: 409, code: "own_token" });
    expect(stillThere.ok).toBe(true);
    expect(meant).toMatchObject({ ok: true, value: { revoked: 1 } });
    expect(await hub.as("boss").try("list_tokens", {})).toMatchObject({ status: 401 });
  });

  test("does not see another organization's tokens, nor unknown ones, and wants one way of naming", async () => {
    await using hub = await start();
    const foreign = (await hub.as("ruler").call("list_tokens"))["tokens"][0]["id"];
    const before = await hub.state();

    const replies = [
      await hub.as("boss").try("revoke_token", { token_id: foreign }),
      await hub.as("boss").try("revoke_token", { token_id: "tok_of_nobody" }),
      await hub.as("boss").try("revoke_token", { agent: "stranger" }),
      await hub.as("boss").try("revoke_token", {}),
      await hub.as("boss").try("revoke_token", { token_id: foreign, agent: "box1" }),
    ];

    expect(replies.map((reply) => (reply.ok ? "ok" : reply.status))).toEqual([404, 404, 404, 400, 400]);
    expect(await hub.state()).toBe(before);
  });
});
