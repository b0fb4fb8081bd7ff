import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("rooms", (start) => {
  test("list_rooms shows what the credential grants and nothing else", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "hello" });
    await hub.as("box1").call("create_task", { title: "one" });

    const own = await hub.as("box2").call("list_rooms");
    const every = await hub.as("boss").call("list_rooms");
    const page = await hub.as("boss").call("list_rooms", { limit: 1 });
    const rest = await hub.as("boss").call("list_rooms", { limit: 1, after: page["next"] });

    expect(own).toMatchObject({ you_are: "box2", default_room: "lobby", all_rooms: false, admin: false, count: 1 });
    expect(own["rooms"]).toMatchObject([{ name: "lobby", messages: 1, open_tasks: 1 }]);
    expect(every["rooms"].map((room: { name: string }) => room.name)).toEqual(["lobby", "ops"]);
    expect([page["rooms"][0].name, rest["rooms"][0].name, rest["has_more"]]).toEqual(["lobby", "ops", false]);
  });

  test("an ungranted and an unknown room are refused alike, with the granted ones", async () => {
    await using hub = await start();

    const ungranted = await hub.as("box2").try("get_room_info", { room: "ops" });
    const unknown = await hub.as("box2").try("get_room_info", { room: "nowhere" });

    expect(ungranted).toMatchObject({ status: 403, code: "room_not_granted", error: { data: { rooms: ["lobby"] } } });
    expect(unknown).toMatchObject({ status: 403, code: "room_not_granted", error: { data: { rooms: ["lobby"] } } });
  });

  test("set_room_info sets what is given, clears by an empty text, and says who set it", async () => {
    await using hub = await start();
    await hub.as("box1").call("set_room_info", {
      description: "deploys",
      repo_url: "https://git.example/x",
      onboarding_notes: "read m1",
    });

    const set = await hub.as("box2").call("set_room_info", { repo_url: "" });

    expect(set["room_info"]).toMatchObject({
      description: "deploys",
      repo_url: "",
      onboarding_notes: "read m1",
      info_set_by: "box2",
    });
    expect((await hub.eventsOf("lobby")).at(-1)).toMatchObject({
      kind: "room_info_updated",
      actor: "box2",
      detail: "repo_url",
    });
  });

  test("set_room_info refuses nothing to set, addresses that open no repository, and texts without end", async () => {
    await using hub = await start();
    const before = await hub.state();

    for (const input of [
      {},
      { repo_url: "javascript:alert(1)" },
      { repo_url: "ftp://host/x" },
      { repo_url: "https://host/ x" },
      { description: "x".repeat(2_001) },
      { lease_minutes: 5 },
    ]) {
      expect(await hub.as("box1").try("set_room_info", input), JSON.stringify(input)).toMatchObject({ status: 400 });
    }

    expect(await hub.state()).toBe(before);
  });

  test("set_room_policy keeps the information to admins, and says how long claims last", async () => {
    await using hub = await start();
    await hub.as("box1").call("set_room_info", { description: "deploys" });

    const set = await hub.as("chief").call("set_room_policy", { info_by: "admins", lease_minutes: 7 });
    const refused = await hub.as("box1").try("set_room_info", { description: "mine" });
    const allowed = await hub.as("chief").call("set_room_info", { onboarding_notes: "read m1" });

    expect(set["room_info"]).toMatchObject({ info_by: "admins", lease_minutes: 7, info_set_by: "box1" });
    expect(refused).toMatchObject({ status: 403, code: "not_allowed" });
    expect(allowed["room_info"]).toMatchObject({ description: "deploys", info_set_by: "chief", lease_minutes: 7 });
    expect((await hub.eventsOf("lobby")).at(-2)).toMatchObject({
      kind: "policy_changed",
      actor: "chief",
      detail: "info_by, lease_minutes",
    });
  });

  test("set_room_policy is for the room's admins, and refuses nothing to set and leases without measure", async () => {
    await using hub = await start();
    const before = await hub.state();

    const writer = await hub.as("box1").try("set_room_policy", { lease_minutes: 1 });
    const elsewhere = await hub.as("chief").try("set_room_policy", { room: "ops", lease_minutes: 1 });
    const inputs = [{}, { lease_minutes: -1 }, { lease_minutes: 1e9 }, { info_by: "nobody" }, { description: "x" }];

    expect(writer).toMatchObject({ status: 403, code: "not_allowed" });
    expect(elsewhere).toMatchObject({ status: 403, code: "room_not_granted" });
    for (const input of inputs)
      expect(await hub.as("chief").try("set_room_policy", input), JSON.stringify(input)).toMatchObject({ status: 400 });
    expect(await hub.state()).toBe(before);
  });

  test("create_room is the organization administrator's, and refuses a taken or odd name", async () => {
    await using hub = await start();

    const created = await hub.as("boss").call("create_room", { name: "workshop", description: "tools" });

    expect(created["room"]).toMatchObject({ name: "workshop", description: "tools", info_set_by: "boss" });
    expect(await hub.as("chief").try("create_room", { name: "x" })).toMatchObject({ status: 403, code: "not_allowed" });
    expect(await hub.as("boss").try("create_room", { name: "workshop" })).toMatchObject({
      status: 409,
      code: "room_exists",
    });
    for (const name of ["", "Workshop", "a b", "a/b", "a\nb", "../x", "x".repeat(65), "ŕoom"]) {
      expect(await hub.as("boss").try("create_room", { name }), name).toMatchObject({ status: 400 });
    }
    expect(await hub.as("boss").try("post_message", { room: "workshop", body: "at once" })).toMatchObject({ ok: true });
  });

  test("delete_room removes everything in it, needs its name, and leaves no zombie", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box1").call("post_message", { body: "two", reply_to: 1 });
    await hub.as("box1").call("create_task", { title: "task" });
    await hub.as("box1").call("create_task", { title: "after", depends_on: [1] });
    await hub.as("box1").call("add_note", { task_id: 1, body: "note" });
    await hub.as("box1").call("put_file", { name: "a", content_base64: "eA==" });

    for (const input of [{}, { room: "" }, { room: null }])
      expect(await hub.as("chief").try("delete_room", input)).toMatchObject({ status: 400 });
    expect(await hub.as("chief").try("delete_room", { room: "ops" })).toMatchObject({ status: 403 });
    const deleted = await hub.as("chief").call("delete_room", { room: "lobby" });

    expect(deleted).toEqual({
      ok: true,
      deleted_room: "lobby",
      removed: { files: 1, messages: 2, tasks: 2, notes: 1 },
    });
    expect(await hub.as("box1").try("post_message", { room: "lobby", body: "zombie" })).toMatchObject({
      status: 403,
      code: "room_not_granted",
    });
    expect(await hub.as("box2").try("post_message", { body: "zombie" })).toMatchObject({
      status: 403,
      code: "room_not_granted",
    });
    expect((await hub.eventsOf(null)).at(-1)).toMatchObject({ kind: "room_deleted", detail: "lobby", actor: "chief" });
  });

  test("a new room under a deleted one's name shows nothing of it", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "secret of the old room" });
    await hub.as("boss").call("delete_room", { room: "lobby" });
    await hub.as("boss").call("create_room", { name: "lobby" });

    const events = await hub.as("boss").call("read_events", { room: "lobby", since_id: 0 });

    expect(events["events"]).toEqual([]);
    expect(await hub.as("box2").try("read_messages", { room: "lobby" })).toMatchObject({ status: 403 });
  });
});
