import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("post_message", (start) => {
  test("gives the room's next number and tells the log with it", async () => {
    await using hub = await start();

    const first = await hub.as("box1").call("post_message", { body: "the poller is live" });
    const elsewhere = await hub.as("opsbox").call("post_message", { body: "hello ops" });
    const second = await hub.as("box2").call("post_message", { body: "thanks" });

    expect(first).toEqual({ ok: true, message_id: 1, room: "lobby", author: "box1", mentioned: [] });
    expect([elsewhere["message_id"], second["message_id"]]).toEqual([1, 2]);
    expect(await hub.eventsOf("lobby")).toEqual([
      { kind: "message", actor: "box1", message: 1, detail: "the poller is live", concerns: [] },
      { kind: "message", actor: "box2", message: 2, detail: "thanks", concerns: [] },
    ]);
  });

  test("resolves mentions to members who can read the room, and says by which path each is reached", async () => {
    await using hub = await start();
    await hub.as("box2").call("list_rooms");

    const posted = await hub.as("box1").call("post_message", { body: "@box2 @opsbox @nobody @box1 @roamer look" });

    expect(
      posted["mentioned"].map((member: { handle: string; paths: string[] }) => [member.handle, member.paths]),
    ).toEqual([
      ["box2", ["tool"]],
      ["roamer", []],
    ]);
    expect((await hub.eventsOf("lobby"))[0]?.concerns).toEqual(["box2", "roamer"]);
  });

  test("lets @room reach everybody who can read it but the author", async () => {
    await using hub = await start();

    const posted = await hub.as("box1").call("post_message", { body: "@room stand-up" });

    const handles = posted["mentioned"].map((member: { handle: string }) => member.handle);
    expect(handles).toEqual(["boss", "box2", "box3", "chief", "roamer", "watcher"]);
  });

  test("keeps a reply in its parent's thread, and refuses a parent of another room as if it were not there", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box2").call("post_message", { body: "two", reply_to: 1 });
    await hub.as("box1").call("post_message", { body: "three", reply_to: 2 });

    const thread = await hub.as("box3").call("read_messages", { thread: 1 });
    const foreign = await hub.as("opsbox").try("post_message", { body: "x", reply_to: 1 });

    expect(thread["messages"].map((message: { reply_to: number }) => message.reply_to)).toEqual([null, 1, 2]);
    expect(foreign).toMatchObject({ ok: false, status: 404, code: "message_not_found" });
  });

  test.each([["", "   ", "\n\t", "\u200b\u200d", "\u2060"]])(
    "refuses a text that shows nothing: %j",
    async (...bodies) => {
      await using hub = await start();
      const before = await hub.state();

      for (const body of bodies) {
        expect(await hub.as("box1").try("post_message", { body })).toMatchObject({ status: 400, code: "bad_input" });
      }

      expect(await hub.state()).toBe(before);
    },
  );

  test("counts a body in code points, takes the longest, and refuses one more", async () => {
    await using hub = await start();

    const longest = await hub.as("box1").try("post_message", { body: "😀".repeat(16_384) });
    const longer = await hub.as("box1").try("post_message", { body: "😀".repeat(16_385) });

    expect([longest.ok, longer.ok]).toEqual([true, false]);
  });

  test("stores a body byte for byte", async () => {
    await using hub = await start();
    const body = "a\r\nb\u2028c\u0007 e\u0301 \u{1F468}\u200D\u{1F469} 'x'; drop table messages; -- \\u0000 </data> %s";

    await hub.as("box1").call("post_message", { body });

    expect((await hub.as("box2").call("read_messages"))["messages"][0].body).toBe(body);
  });

  test("masks a token and tells its owner", async () => {
    await using hub = await start();

    const posted = await hub.as("box1").call("post_message", { body: `use ${hub.token("box2")} for now` });

    expect(posted["_warning"]).toContain("masked");
    expect((await hub.as("box3").call("read_messages"))["messages"][0].body).toBe("use crw_agt_[masked] for now");
    expect((await hub.eventsOf("lobby"))[0]).toMatchObject({
      detail: "use crw_agt_[masked] for now",
      concerns: ["box2"],
    });
    expect(await hub.state()).not.toContain(hub.token("box2"));
  });

  test("has one effect for one key, gives the first answer again, and refuses the key for other input (P2)", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");

    const replies = await Promise.all(
      Array.from({ length: 20 }, () => box1.try("post_message", { body: "once" }, { key: "k1" })),
    );
    const other = await box1.try("post_message", { body: "twice" }, { key: "k1" });
    const others = await hub.as("box2").call("post_message", { body: "mine" }, { key: "k1" });

    expect(new Set(replies.map((reply) => reply.ok && reply.value["message_id"]))).toEqual(new Set([1]));
    expect(replies.filter((reply) => reply.headers.get("idempotency-replayed") === "true")).toHaveLength(19);
    expect(other).toMatchObject({ status: 422, code: "key_reused" });
    expect(others["message_id"]).toBe(2);
  });

  test("forgets a key after 24 hours", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "once" }, { key: "k1" });

    hub.later({ hours: 24, minutes: 1 });
    const later = await hub.as("box1").call("post_message", { body: "once" }, { key: "k1" });

    expect(later["message_id"]).toBe(2);
  });
});
