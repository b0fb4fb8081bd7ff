import { expect, test } from "vitest";
import { sql } from "../../store/sql.ts";
import { makeActor, makeNobody } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";

const ACME = { org_id: "acme", name: "The Acme Company", admin_password: "a password of the founder" };

onEachStore("register_organization", (start) => {
  test("makes an organization with its room and the person admin, who administers it", async () => {
    await using hub = await start();

    const made = await makeNobody(hub.url).call("register_organization", ACME);
    const signedIn = await makeNobody(hub.url).call("login", {
      org_id: "acme",
      user_id: "admin",
      password: ACME.admin_password,
    });
    const admin = makeActor(hub.url, "admin", signedIn["auth_token"]);
    const members = await admin.call("list_members");
    const audited = (await admin.call("get_audit_log"))["events"] as Record<string, unknown>[];

    expect(made).toMatchObject({ org_id: "acme", name: ACME.name, user_id: "admin" });
    expect(made["created_at"]).toMatch(/Z$/);
    expect(made["important"]).toContain("admin_password");
    expect(JSON.stringify(made)).not.toContain(ACME.admin_password);
    expect(members["members"]).toMatchObject([
      { user_id: "admin", role: "admin", rooms: ["lobby"], password: "known to tools" },
    ]);
    expect(audited.map(({ kind, actor, address }) => [kind, actor, address])).toEqual([
      ["signed_in", "admin", "127.0.0.1"],
      ["member_added", "admin", "127.0.0.1"],
      ["room_created", "admin", "127.0.0.1"],
      ["organization_created", "admin", "127.0.0.1"],
    ]);
  });

  test("says that an id is taken, also to those who try at once, and changes nothing then", async () => {
    await using hub = await start();

    const replies = await Promise.all(
      ["one password for it", "and another for it", "and a third for it"].map((admin_password) =>
        makeNobody(hub.url).try("register_organization", { ...ACME, admin_password }),
      ),
    );
    const before = await hub.state();
    const existing = await makeNobody(hub.url).try("register_organization", { ...ACME, org_id: "main" });

    const refused = { status: 409, code: "organization_exists" };
    expect(replies.filter((reply) => reply.ok)).toHaveLength(1);
    expect(replies.filter((reply) => !reply.ok)).toMatchObject([refused, refused]);
    expect(existing).toMatchObject(refused);
    expect(await hub.state()).toBe(before);
  });

  test("is closed to requests that may not sign up, whatever they carry, and says which setting it is", async () => {
    await using hub = await start({ CREWROOM_SIGNUP: "invite" });
    await hub.seatPeople();
    const browser = await hub.browser("dora");
    const before = await hub.state();

    const replies = [
      await makeNobody(hub.url).try("register_organization", ACME),
      await hub.as("boss").try("register_organization", ACME),
      await hub.as("dora").try("register_organization", ACME),
      await browser.try("register_organization", ACME),
    ];

    expect(replies).toMatchObject(replies.map(() => ({ status: 403, code: "sign_up_closed" })));
    expect(replies[0]).toMatchObject({ message: expect.stringContaining("CREWROOM_SIGNUP") });
    expect(await hub.state()).toBe(before);
  });

  test("lets an address behind a trusted proxy register only so many, and others go on", async () => {
    await using hub = await start({
      CREWROOM_SIGNUP: "open",
      CREWROOM_TRUSTED_PROXIES: "127.0.0.1",
      CREWROOM_AUTH_FAIL_LIMIT: "2",
    });
    const register = (org_id: string, address: string) =>
      makeNobody(hub.url, address).try("register_organization", { ...ACME, org_id });

    const replies = [];
    for (const org_id of ["one", "two", "three"]) replies.push(await register(org_id, "203.0.113.5"));
    const elsewhere = await register("four", "203.0.113.6");

    expect(replies.map((reply) => (reply.ok ? "ok" : reply.code))).toEqual(["ok", "ok", "too_many_from_address"]);
    expect(elsewhere).toMatchObject({ ok: true });
  });

  test("refuses names and passwords that are none", async () => {
    await using hub = await start();
    const before = await hub.state();

    for (const wrong of [
      { org_id: "Acme" },
      { org_id: "" },
      { org_id: "a b" },
      { org_id: "ａｃｍｅ" },
      { name: "" },
      { name: "\u200b" },
      { name: "x".repeat(101) },
      { admin_password: "elevenchars" },
      { admin_password: "x".repeat(1_025) },
      { admin_password: `with a NUL \0 in it` },
    ]) {
      const reply = await makeNobody(hub.url).try("register_organization", { ...ACME, ...wrong });
      expect(reply, JSON.stringify(wrong)).toMatchObject({ status: 400, code: "bad_input" });
    }

    expect(await hub.state()).toBe(before);
    expect(await hub.hub.store.read((tx) => tx.all(sql`select id from organizations`))).toHaveLength(2);
  });
});
