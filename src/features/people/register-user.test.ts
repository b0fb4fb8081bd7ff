import { expect, test } from "vitest";
import { makeActor, makeNobody, type Value } from "../../testkit/actor.ts";
import { addPerson, PASSWORD } from "../../testkit/cast.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

const FOUNDER = { org_id: "acme", admin_password: "a password of the founder" };
const UMAR = {
  ...FOUNDER,
  user_id: "umar",
  name: "Umar",
  password: "choose-a-user-password",
  ownership: ["platform tooling"],
  notes: "Mornings.",
};

async function found(hub: TestHub) {
  await makeNobody(hub.url).call("register_organization", { ...FOUNDER, name: "Acme" });
}
const register = (hub: TestHub, input: Value) => makeNobody(hub.url).try("register_user", input);
const outcome = (reply: Awaited<ReturnType<typeof register>>) => (reply.ok ? "ok" : `${reply.status} ${reply.code}`);

onEachStore("register_user", (start) => {
  test("makes an administrator by the founder's password or where a person sits, never by a token", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await found(hub);
    const input = { user_id: "eve", name: "Eve", password: "long enough for it", role: "admin" };

    const byToken = [
      await hub.as("boss").try("register_user", input),
      await hub.as("dora").try("register_user", input),
      await (await hub.browser("ann")).try("register_user", input),
    ];
    const allowed = [
      await (await hub.browser("dora")).try("register_user", input),
      await register(hub, { ...UMAR, role: "admin" }),
    ];

    expect(byToken.map(outcome)).toEqual(byToken.map(() => "403 not_allowed"));
    expect(allowed.map(outcome)).toEqual(["ok", "ok"]);
  });

  test("makes a person who can sign in, with the founder's password and nothing else", async () => {
    await using hub = await start();
    await found(hub);

    const made = await makeNobody(hub.url).call("register_user", UMAR);
    const { org_id, user_id, password } = UMAR;
    const signedIn = await makeNobody(hub.url).call("login", { org_id, user_id, password });
    const rooms = await makeActor(hub.url, "umar", signedIn["auth_token"]).call("list_rooms");

    expect(made).toMatchObject({
      registered: true,
      profile: { org_id, user_id, name: "Umar", role: "member", ownership: ["platform tooling"], notes: "Mornings." },
      next_step: expect.stringContaining("login"),
    });
    expect(made["profile"]).not.toHaveProperty("profile_notes");
    expect(rooms).toMatchObject({ you_are: "umar", default_room: "lobby", admin: false, count: 1 });
  });

  test("answers alike for a wrong admin password, an unknown organization, and an admin who is none", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    await hub.seatPeople();
    await found(hub);
    // It has that handle, and administers nothing.
    await hub.hub.store.write("main", (tx) => addPerson(tx, "main", "admin", { rooms: ["lobby"] }));
    const before = await hub.state();

    const replies = [
      await register(hub, { ...UMAR, admin_password: "a password of the founder " }),
      await register(hub, { ...UMAR, admin_password: "" }),
      await register(hub, { ...UMAR, org_id: "nowhere" }),
      await register(hub, { ...UMAR, org_id: "main", admin_password: PASSWORD }),
      await register(hub, { ...UMAR, user_id: "admin2", admin_password: "wrong" }),
    ];

    const told = replies.map((reply) => !reply.ok && [reply.status, reply.code, reply.message, reply.error["next"]]);
    expect(told[0]).toMatchObject([401, "wrong_sign_in", expect.any(String), expect.any(String)]);
    expect(told).toEqual(told.map(() => told[0]));
    expect(await hub.state()).toBe(before);
  });

  test("needs neither organization nor password of an administrator's credential", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const eve = { user_id: "eve", name: "Eve", password: PASSWORD };

    const made = await hub.as("dora").call("register_user", eve);
    const others = [
      await hub.as("ann").try("register_user", { ...eve, user_id: "eva" }),
      await hub.as("box1").try("register_user", { ...eve, user_id: "eva" }),
      await hub.as("yuri").try("register_user", { ...eve, user_id: "eva", org_id: "main" }),
      await register(hub, { ...eve, user_id: "eva", org_id: "main" }),
      await register(hub, { ...eve, user_id: "eva" }),
    ];

    expect(made["profile"]).toMatchObject({ org_id: "main", user_id: "eve" });
    expect(others.map(outcome)).toEqual([
      "403 not_allowed",
      "403 not_allowed",
      "401 not_signed_in",
      "401 not_signed_in",
      "401 not_signed_in",
    ]);
    expect((await hub.eventsOf(null)).at(-1)).toEqual({
      kind: "member_added",
      actor: "dora",
      detail: "eve as member",
      concerns: ["eve"],
    });
  });

  test("leaves the password to the person where an administrator gives none", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const made = await hub.as("dora").call("register_user", { user_id: "eve", name: "Eve" });
    const signIn = await makeNobody(hub.url).try("login", { org_id: "main", user_id: "eve", password: "" });

    expect(made["next_step"]).toContain("reset_password");
    expect(signIn).toMatchObject({ status: 401, code: "wrong_sign_in" });
  });

  test("notes that both passwords came through a tool, and that the founder did it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.hub.store.write("main", (tx) => addPerson(tx, "main", "admin", { role: "admin", rooms: ["lobby"] }));
    const passwords = async () =>
      ((await hub.as("dora").call("list_members"))["members"] as Value[])
        .filter(({ user_id }) => ["admin", "umar", "ann"].includes(user_id as string))
        .map(({ user_id, password }) => `${user_id}: ${password}`);

    const before = await passwords();
    await makeNobody(hub.url).call("register_user", { ...UMAR, org_id: "main", admin_password: PASSWORD });
    const after = await passwords();
    const audited = (await hub.as("dora").call("get_audit_log", { kind: "member_added" }))["events"] as Value[];

    expect(before).toEqual(["admin: chosen", "ann: chosen"]);
    expect(after).toEqual(["admin: known to tools", "ann: chosen", "umar: known to tools"]);
    expect(audited[0]).toMatchObject({ actor: "admin", detail: "umar as member", address: "127.0.0.1" });
  });

  test("never gives a handle twice, nor one that is reserved, nor takes what is no handle, name or password", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("deactivate_member", { user_id: "cleo" });
    const eve = { user_id: "eve", name: "Eve", password: PASSWORD };
    const before = await hub.state();

    const taken = ["ann", "annbot", "box1", "cleo"].map((user_id) => ({ user_id }));
    const wrong = [
      { user_id: "admin" },
      { user_id: "operator" },
      { user_id: "Eve" },
      { user_id: "еve" },
      { user_id: "e\u0301ve" },
      { user_id: "" },
      { name: "" },
      { name: "\u2067" },
      { password: "7 chars" },
      { password: "😀".repeat(7) },
      { password: "x".repeat(1_025) },
      { password: "é".repeat(513) },
      { password: "11 charsxyz", role: "admin" },
      { role: "owner" },
      { ownership: "billing" },
      { notes: "x".repeat(4_001) },
    ];
    for (const input of taken)
      expect(outcome(await hub.as("dora").try("register_user", { ...eve, ...input }))).toBe("409 handle_taken");
    for (const input of wrong)
      expect(outcome(await hub.as("dora").try("register_user", { ...eve, ...input })), JSON.stringify(input)).toBe(
        "400 bad_input",
      );

    expect(await hub.state()).toBe(before);
  });

  test("keeps organizations apart: the same handle in two is two persons", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await found(hub);

    const made = await makeNobody(hub.url).call("register_user", { ...UMAR, user_id: "ann" });
    const seen = await hub.as("ann").call("list_users");
    const wrong = await makeNobody(hub.url).try("login", { org_id: "main", user_id: "ann", password: UMAR.password });

    expect(made["profile"]).toMatchObject({ org_id: "acme", user_id: "ann" });
    expect(JSON.stringify(seen)).not.toContain("acme");
    expect(wrong).toMatchObject({ code: "wrong_sign_in" });
  });
});
