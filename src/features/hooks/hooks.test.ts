import { expect, it } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("webhooks", (start) => {
  it("are made, listed and deleted by administrators, and show their secret once", async () => {
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: "receiver.lan:8080" });
    const boss = hub.as("boss");
    const url = "http://receiver.lan:8080/in";

    const out = await boss.call("create_hook", { direction: "out", url, kinds: ["message"], label: "to the wiki" });
    const into = await boss.call("create_hook", { direction: "in", room: "lobby", author: "backups" });
    const listed = await boss.call("list_hooks");
    const refused = await hub.as("chief").try("list_hooks");
    const foreign = await hub.as("ruler").try("delete_hook", { hook_id: out["hook"].id });
    const deleted = await boss.call("delete_hook", { hook_id: out["hook"].id });
    const again = await boss.try("delete_hook", { hook_id: out["hook"].id });

    expect(out).toMatchObject({ created: true, hook: { direction: "out", room: null, kinds: ["message"], url } });
    expect(out["secret"]).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(into).toMatchObject({ hook: { direction: "in", room: "lobby", author: "backups", form: "plain" } });
    expect(into["hook"].url).toBe(`${hub.url}/v1/inbound/${into["hook"].id}`);
    expect(into["secret"]).toMatch(/^crw_hok_\w{36}$/);
    expect(listed).toEqual({ count: 2, hooks: [out["hook"], into["hook"]] });
    expect(JSON.stringify(listed)).not.toContain(String(out["secret"]));
    expect(refused).toMatchObject({ status: 403 });
    expect(foreign).toMatchObject({ status: 404 });
    expect(deleted).toEqual({ deleted: true, hook_id: out["hook"].id });
    expect(again).toMatchObject({ status: 404 });
    expect(JSON.stringify(await hub.state())).not.toContain(String(out["secret"]));
    const kinds = (await hub.eventsOf(null)).map(({ kind }) => kind).filter((kind) => kind.startsWith("hook"));
    expect(kinds).toEqual(["hook_created", "hook_created", "hook_deleted"]);
  });

  it("take no fields of the other direction, no room that is not there, and no handle of somebody else", async () => {
    await using hub = await start();
    const boss = hub.as("boss");
    const into = { direction: "in", room: "lobby", author: "backups" };

    const replies = await Promise.all([
      boss.try("create_hook", { direction: "out" }),
      boss.try("create_hook", { direction: "in", room: "lobby" }),
      boss.try("create_hook", { direction: "in", author: "backups" }),
      boss.try("create_hook", { ...into, url: "https://example.com/x" }),
      boss.try("create_hook", { ...into, finish: true }),
      boss.try("create_hook", { direction: "out", url: "https://hook.example/x", kinds: ["question_asked"] }),
      boss.try("create_hook", { ...into, room: "nowhere" }),
      boss.try("create_hook", { ...into, author: "box1" }),
    ]);

    expect(replies.map((reply) => (reply.ok ? "ok" : reply.code))).toEqual([
      "bad_input",
      "bad_input",
      "bad_input",
      "bad_input",
      "bad_input",
      "bad_input",
      "room_not_granted",
      "handle_taken",
    ]);
  });
});
