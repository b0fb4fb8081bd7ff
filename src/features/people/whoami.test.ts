import { expect, test } from "vitest";
import { makeActor } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("whoami", (start) => {
  test("tells an agent its handle, owner, roles and rooms", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const [plain, owned, reader] = await Promise.all(
      ["box1", "annbot", "annreader"].map((handle) => hub.as(handle).call("whoami")),
    );

    expect(plain).toEqual({
      org_id: "main",
      user_id: "box1",
      kind: "agent",
      owner: null,
      roles: ["read", "write"],
      default_room: "lobby",
      rooms: ["lobby", "ops"],
      more_rooms: false,
      profile: null,
      interactions: [],
      more_interactions: false,
    });
    expect(owned).toMatchObject({ user_id: "annbot", kind: "agent", owner: "ann", profile: null });
    expect(owned?.["roles"]).toContain("person_write");
    expect(reader?.["roles"]).toEqual(["read", "person_read"]);
  });

  test("tells a person its profile, and with whom it exchanged questions, its own pairs alone", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Why?" });
    await hub.as("cleo").call("ask_person", { to_user_id: "ben", question: "And how?" });

    const ann = await hub.as("ann").call("whoami");
    const ben = await hub.as("ben").call("whoami");

    expect(ann).toMatchObject({
      user_id: "ann",
      kind: "person",
      owner: null,
      default_room: "lobby",
      profile: { org_id: "main", user_id: "ann", role: "member" },
      interactions: [{ other_user_id: "ben", message_count: 1 }],
    });
    expect(ann["profile"]).not.toHaveProperty("profile_notes");
    expect(ben["interactions"]).toHaveLength(2);
    expect(ann["roles"]).toEqual(expect.arrayContaining(["self", "person_write", "mint"]));
  });

  test("tells an administrator what it may do more in a browser", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const byToken = await hub.as("dora").call("whoami");
    const byBrowser = await (await hub.browser("dora")).call("whoami");

    expect(byToken["roles"]).toContain("organization_admin");
    expect(byBrowser["roles"].filter((role: string) => !byToken["roles"].includes(role))).toEqual([
      "browser",
      "set_passwords",
    ]);
    expect(byBrowser["rooms"]).toEqual(["lobby", "ops"]);
  });

  test("stays within one page however many rooms there are", async () => {
    await using hub = await start();
    const made = await hub.as("boss").call("create_token", { agent: "everywhere", room: "lobby", all_rooms: true });
    for (let room = 0; room < 101; room += 1)
      await hub.as("boss").call("create_room", { name: `${"x".repeat(60)}${room}` });

    const answer = await makeActor(hub.url, "everywhere", made["token"]).call("whoami");

    expect(answer["rooms"]).toHaveLength(100);
    expect(answer["more_rooms"]).toBe(true);
  });
});
