import { expect, test } from "vitest";
import { LIMITS } from "../../core/limits.ts";
import { sql } from "../../store/sql.ts";
import { makeActor, makeNobody, type Value } from "../../testkit/actor.ts";
import { addPerson, PASSWORD } from "../../testkit/cast.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

const NEW = "another horse battery";
const CHANGE = { old_password: PASSWORD, new_password: NEW };

async function canSignIn(hub: TestHub, user_id: string, password: string) {
  return (await makeNobody(hub.url).try("login", { org_id: "main", user_id, password })).ok;
}
async function passwordState(hub: TestHub, user_id: string) {
  const members = (await hub.as("dora").call("list_members"))["members"] as Value[];
  return members.find((member) => member["user_id"] === user_id)?.["password"] as string;
}
const openLinks = ({ hub }: TestHub) =>
  hub.store.read((tx) =>
    tx.all(sql`select handle from invitations where purpose = 'password' and used_at is null and revoked_at is null`),
  );
const kindsOf = async (hub: TestHub) => (await hub.eventsOf(null)).map(({ kind, actor }) => `${kind} ${actor}`);

onEachStore("change_password", (start) => {
  test("sets the new one and ends every other sign-in, but not the person's agents", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const browser = await hub.browser("ann");
    const { auth_token } = await makeNobody(hub.url).call("login", {
      org_id: "main",
      user_id: "ann",
      password: PASSWORD,
    });

    const answer = await makeActor(hub.url, "ann", auth_token).call("change_password", CHANGE);

    expect(answer).toMatchObject({ changed: true, sessions_ended: 2, important: expect.stringContaining("/password") });
    expect(await makeActor(hub.url, "ann", auth_token).try("whoami")).toMatchObject({ ok: true });
    expect([await hub.as("ann").try("whoami"), await browser.try("whoami")]).toMatchObject([
      { status: 401 },
      { status: 401 },
    ]);
    expect(await hub.as("annbot").try("whoami")).toMatchObject({ ok: true });
    expect([await canSignIn(hub, "ann", PASSWORD), await canSignIn(hub, "ann", NEW)]).toEqual([false, true]);
    expect(await kindsOf(hub)).toEqual(expect.arrayContaining(["password_changed ann", "signed_out ann"]));
    expect(await passwordState(hub, "ann")).toBe("known to tools");
  });

  test("wants the old password, and lets one of two that change it at once win", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const browser = await hub.browser("ann");
    const before = await hub.state();

    const wrong = await hub.as("ann").try("change_password", { ...CHANGE, old_password: "wrong" });
    const unchanged = await hub.state();
    const replies = await Promise.all([
      hub.as("ann").try("change_password", CHANGE),
      browser.try("change_password", { ...CHANGE, new_password: "a third horse battery" }),
    ]);

    expect(wrong).toMatchObject({ status: 401, code: "wrong_sign_in" });
    expect(unchanged).toBe(before);
    expect(replies.filter((reply) => reply.ok)).toHaveLength(1);
    expect((await kindsOf(hub)).filter((kind) => kind === "password_changed ann")).toHaveLength(1);
  });

  test("refuses the same one again, and one that is too short for the role", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const replies = [
      await hub.as("ann").try("change_password", { ...CHANGE, new_password: PASSWORD }),
      await hub.as("ann").try("change_password", { ...CHANGE, new_password: "7 chars" }),
      await hub.as("dora").try("change_password", { ...CHANGE, new_password: "11 charsxyz" }),
      await hub.as("ann").try("change_password", { ...CHANGE, new_password: "x".repeat(1_025) }),
    ];
    const shortest = await hub.as("ann").try("change_password", { ...CHANGE, new_password: " 8 chars" });

    expect(replies).toMatchObject(replies.map(() => ({ status: 400, code: "bad_input" })));
    expect(shortest).toMatchObject({ ok: true });
  });

  test("is the person's own: an agent that acts for it cannot", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const replies = await Promise.all(
      ["annbot", "boss"].map((handle) => hub.as(handle).try("change_password", CHANGE)),
    );

    expect(replies).toMatchObject(replies.map(() => ({ status: 403, code: "not_allowed" })));
  });

  test("goes on for its person while strangers have spent the account's budget", async () => {
    await using hub = await start({ CREWROOM_TRUSTED_PROXIES: "127.0.0.1", CREWROOM_AUTH_FAIL_LIMIT: "2" });
    await hub.seatPeople();
    for (let guess = 0; guess < 5; guess += 1)
      await makeNobody(hub.url, `203.0.113.${guess}`).try("login", { org_id: "main", user_id: "ann", password: "x" });

    expect(await hub.as("ann").try("change_password", CHANGE)).toMatchObject({ ok: true });
  });
});

onEachStore("reset_password", (start) => {
  test("ends password and sign-ins at once, and gives a link to choose a new one, shown once", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const dora = await hub.browser("dora");
    const ask = { user_id: "ann", idempotency_key: "reset-ann" };

    const answer = await dora.call("reset_password", ask);
    const again = await dora.call("reset_password", ask);

    expect(answer).toMatchObject({ reset: true, user_id: "ann", sessions_ended: 1 });
    expect(answer["link"]).toMatch(new RegExp(`^${hub.url.replaceAll(".", "\\.")}/join/crw_inv_\\w{36}$`));
    expect(Date.parse(answer["expires_at"]) - Date.now()).toBeLessThanOrEqual(86_400_000);
    expect(again).toMatchObject({ link: null, note: expect.stringContaining("link") });
    expect(await hub.as("ann").try("whoami")).toMatchObject({ status: 401 });
    expect(await canSignIn(hub, "ann", PASSWORD)).toBe(false);
    expect(await passwordState(hub, "ann")).toBe("none");
    expect(await kindsOf(hub)).toEqual(expect.arrayContaining(["password_changed dora", "person_invited dora"]));
  });

  test("leaves one link that works: a newer one, or a password, ends those before", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const dora = await hub.browser("dora");

    await dora.call("reset_password", { user_id: "ann" });
    await dora.call("reset_password", { user_id: "ann" });
    const two = await openLinks(hub);
    await dora.call("reset_password", { user_id: "ann", password: NEW });
    const none = await openLinks(hub);

    expect([two, none]).toEqual([[{ handle: "ann" }], []]);
  });

  test("leaves room for invitations, however many passwords were reset", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const dora = await hub.browser("dora");
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`
        insert into invitations (organization, id, hash, purpose, handle, role, created_at, created_by, expires_at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${LIMITS.openInvitations})
        select 'main', 'inv' || n, 'hash' || n, 'password', 'p' || n, 'member', cast(${tx.now} as bigint), 'dora',
          cast(${tx.now + 60_000} as bigint)
        from numbers`),
    );

    expect(await dora.try("invite_person", { user_id: "eve" })).toMatchObject({ ok: true });
  });

  test("sets the password that is given, which is then known to others", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const dora = await hub.browser("dora");

    const answer = await dora.call("reset_password", { user_id: "ann", password: NEW });

    expect(answer).toMatchObject({ reset: true, link: null, expires_at: null, sessions_ended: 1 });
    expect(await passwordState(hub, "ann")).toBe("known to tools");
    expect([await canSignIn(hub, "ann", PASSWORD), await canSignIn(hub, "ann", NEW)]).toEqual([false, true]);
  });

  test("keeps the sign-in of an administrator who resets its own", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const dora = await hub.browser("dora");

    await dora.call("reset_password", { user_id: "dora", password: NEW });

    expect(await dora.try("whoami")).toMatchObject({ ok: true });
    expect(await hub.as("dora").try("whoami")).toMatchObject({ status: 401 });
  });

  test("is for no token of any kind: whoever resets a password could approve in that person's name", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.hub.store.write("main", (tx) => addPerson(tx, "main", "admin", { role: "admin", rooms: ["lobby"] }));
    const browser = await hub.browser("ann");
    const before = await hub.state();

    const replies = [
      await hub.as("boss").try("reset_password", { user_id: "ann" }),
      await hub.as("dora").try("reset_password", { user_id: "ann" }),
      await hub.as("dora").try("reset_password", { user_id: "ann", password: NEW }),
      await hub.as("annbot").try("reset_password", { user_id: "ann" }),
      await browser.try("reset_password", { user_id: "ann" }),
      await browser.try("reset_password", { user_id: "dora" }),
    ];

    expect(replies).toMatchObject(replies.map(() => ({ status: 403, code: "not_allowed" })));
    expect(await hub.state()).toBe(before);
  });

  test("waits until an administrator whose own password is known to tools has chosen another", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("dora");
    await makeNobody(hub.url).call("login", { org_id: "main", user_id: "dora", password: PASSWORD });
    hub.later({ seconds: 2 });

    const refused = [
      await page.try("reset_password", { user_id: "ben" }),
      await page.try("set_policy", { minimum_assurance: "asserted" }),
    ];

    expect(refused).toMatchObject([{ code: "not_allowed" }, { code: "not_allowed" }]);
  });

  test("does not see other organizations' people, agents, or those who are gone", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const dora = await hub.browser("dora");
    await dora.call("deactivate_member", { user_id: "cleo" });
    const before = await hub.state();

    const replies = [];
    for (const user_id of ["zoe", "annbot", "box1", "cleo", "nobody"])
      for (const password of [undefined, NEW]) replies.push(await dora.try("reset_password", { user_id, password }));

    expect(replies).toMatchObject(replies.map(() => ({ status: 404, code: "person_not_found" })));
    expect(await hub.state()).toBe(before);
  });
});
