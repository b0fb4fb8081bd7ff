import { expect, it } from "vitest";
import { onEachStore } from "../testkit/hub.ts";
import { followStream } from "../testkit/stream.ts";

onEachStore("/v1/stream with elsewhere=1", (start) => {
  it("names the caller's other rooms in which something happened, and nothing of what", async () => {
    await using hub = await start();
    await using stream = await followStream(hub, "box1", "?room=lobby&after=now&elsewhere=1");
    await stream.next("board");

    await hub.as("opsbox").call("post_message", { body: "secret of ops" });
    expect(await stream.next("rooms")).toEqual({ event: "rooms", id: undefined, data: ["ops"] });
    await hub.as("box2").call("post_message", { body: "here" });
    expect(await stream.nextOf(["rooms", "activity"])).toMatchObject({ event: "activity", data: { detail: "here" } });
  });

  it("says nothing of rooms that the caller may not enter, or no longer", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await using cleo = await followStream(hub, "cleo", "?after=now&elsewhere=1");
    await using ben = await followStream(hub, "ben", "?room=lobby&after=now&elsewhere=1");
    await Promise.all([cleo.next("board"), ben.next("board")]);

    await hub.as("opsbox").call("post_message", { body: "one" });
    await ben.next("rooms");
    await hub.as("dora").call("revoke_room", { user_id: "ben", room: "ops" });
    await hub.as("opsbox").call("post_message", { body: "two" });
    await hub.as("box1").call("post_message", { room: "lobby", body: "three" });

    for (const stream of [cleo, ben])
      expect(await stream.nextOf(["rooms", "activity"])).toMatchObject({
        event: "activity",
        data: { detail: "three" },
      });
  });
});
