import { expect, it } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("notices", (start) => {
  it("are added, listed and removed by the person alone, and show only the host of their address", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = hub.as("ben");
    const address = "https://ntfy.example/a-topic-that-nobody-guesses";

    const added = await ben.call("add_notice", { channel: "ntfy", address, label: "phone" });
    const listed = await ben.call("list_notices");
    const anns = await hub.as("ann").call("list_notices");
    const id = added["notice"].id;
    const others = [
      await hub.as("ann").try("remove_notice", { notice_id: id }),
      await hub.as("zoe").try("remove_notice", { notice_id: id }),
      await hub.as("benbot").try("add_notice", { channel: "ntfy", address }),
      await hub.as("benbot").try("list_notices"),
    ];
    const state = await hub.state();
    const removed = await ben.call("remove_notice", { notice_id: id });

    expect(added).toMatchObject({
      added: true,
      notice: { channel: "ntfy", host: "ntfy.example", label: "phone", state: "working" },
    });
    expect(listed).toMatchObject({ count: 1, notices: [added["notice"]] });
    expect(Buffer.from(listed["push_key"], "base64url")).toHaveLength(65);
    expect(anns["notices"]).toEqual([]);
    expect(others.map((reply) => (reply.ok ? 200 : reply.status))).toEqual([404, 404, 403, 403]);
    expect(JSON.stringify(listed) + state).not.toContain("nobody-guesses");
    expect(removed).toEqual({ removed: true, notice_id: id });
    expect((await ben.call("list_notices"))["count"]).toBe(0);
    const kinds = (await hub.eventsOf(null)).map(({ kind }) => kind).filter((kind) => kind.startsWith("notice"));
    expect(kinds).toEqual(["notice_added", "notice_removed"]);
  });

  it("are bounded, and lead to the public internet alone", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = hub.as("ben");
    const add = (address: string) => ben.try("add_notice", { channel: "slack", address });

    const inside = await Promise.all(["http://127.0.0.1:9/x", "https://10.0.0.1/x", "https://localhost/x"].map(add));
    const many = [];
    for (let count = 0; count < 11; count++) many.push(await add(`https://slack.example/services/${count}`));

    expect(inside.map((reply) => (reply.ok ? "ok" : reply.code))).toEqual(inside.map(() => "bad_input"));
    expect(many.map((reply) => reply.ok)).toEqual([...many.slice(1).map(() => true), false]);
    expect(many.at(-1)).toMatchObject({ code: "too_many" });
  });
});
