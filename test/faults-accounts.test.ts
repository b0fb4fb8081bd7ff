import { expect, test } from "vitest";
import { sql } from "../src/store/sql.ts";
import { type Actor, makeActor, makeNobody, type Reply, type Value } from "../src/testkit/actor.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";

/** How accounts were open before this hub: whoever asked learned who is there, guessed at will, and was in for ever. */

const FOUNDER = { org_id: "acme", admin_password: "a password of the founder" };
const PASSWORD = "choose-a-user-password";
const PROXY = { CREWROOM_TRUSTED_PROXIES: "127.0.0.1", CREWROOM_SIGNUP: "open" };

/** An organization with its founder and a user, as Ctalk makes them: by what anyone may call. */
async function found({ url }: TestHub, address?: string): Promise<Actor> {
  const nobody = makeNobody(url, address);
  await nobody.call("register_organization", { ...FOUNDER, name: "Acme" });
  await nobody.call("register_user", { ...FOUNDER, user_id: "umar", name: "Umar", password: PASSWORD });
  return signIn(url, "umar", PASSWORD, address);
}

async function signIn(url: string, user_id: string, password: string, address?: string): Promise<Actor> {
  const reply = await makeNobody(url, address).call("login", { org_id: "acme", user_id, password });
  return makeActor(url, user_id, reply["auth_token"]);
}

/** All that an answer tells, but for the trace, which is of the request. */
function told(reply: Reply) {
  if (reply.ok) return "in";
  const { trace: _, ...error } = reply.error;
  return { status: reply.status, error, headers: [...reply.headers.keys()].toSorted() };
}

const WRONG = [
  ["login", { org_id: "acme", user_id: "umar", password: "guess" }],
  ["login", { org_id: "acme", user_id: "nobody", password: PASSWORD }],
  ["login", { org_id: "nowhere", user_id: "umar", password: PASSWORD }],
  ["register_user", { ...FOUNDER, admin_password: "guess", user_id: "new", name: "New", password: PASSWORD }],
  ["register_user", { ...FOUNDER, admin_password: "guess", user_id: "umar", name: "Umar", password: PASSWORD }],
  ["register_user", { ...FOUNDER, org_id: "nowhere", user_id: "new", name: "New", password: PASSWORD }],
  ["update_user_profile_notes", { ...FOUNDER, admin_password: "guess", user_id: "umar", profile_notes: "x" }],
  ["update_user_profile_notes", { ...FOUNDER, org_id: "nowhere", user_id: "umar", profile_notes: "x" }],
] as const;

onEachStore("accounts", (start) => {
  test("16: who and what is there cannot be told from a refusal, by its words or by its time", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    await found(hub);
    const nobody = makeNobody(hub.url);
    const times = WRONG.map((): number[] => []);
    const replies: Reply[] = [];

    // In turns, so that whatever else the machine does falls on all of them.
    for (let sample = 0; sample < 7; sample += 1)
      for (const [index, [operation, input]] of WRONG.entries()) {
        const began = performance.now();
        replies.push(await nobody.try(operation, input));
        times[index]?.push(performance.now() - began);
      }

    // What else the machine does only ever adds: the least of each is its own.
    const least = times.map((some) => Math.min(...some));
    expect(told(replies[0] as Reply)).toMatchObject({ status: 401, error: { code: "wrong_sign_in" } });
    expect(replies.map(told)).toEqual(replies.map(() => told(replies[0] as Reply)));
    // Without a hash of its own, one would take a tenth.
    expect(Math.min(...least) / Math.max(...least)).toBeGreaterThan(0.4);
  });

  test("17: guesses are slowed down for an address and for an account, and no owner is locked out", async () => {
    await using hub = await start({ ...PROXY, CREWROOM_AUTH_FAIL_LIMIT: "5" });
    const home = "192.0.2.1";
    await found(hub, home);
    const guess = async (address: string, user_id = "umar") => {
      const input = { org_id: "acme", user_id, password: "guess" };
      const reply = await makeNobody(hub.url, address).try("login", input);
      return reply.ok ? "in" : reply.code;
    };

    const fromOne = [];
    for (let count = 0; count < 8; count += 1) fromOne.push(await guess("203.0.113.1", `user${count}`));
    const onOne = [];
    for (let count = 0; count < 8; count += 1) onOne.push(await guess(`198.51.100.${count}`));
    const owner = await signIn(hub.url, "umar", PASSWORD, home);

    for (const codes of [fromOne, onOne]) {
      expect(codes.filter((code) => code === "wrong_sign_in")).toHaveLength(5);
      expect(codes.slice(5)).toEqual(["too_many_attempts", "too_many_attempts", "too_many_attempts"]);
    }
    expect(await owner.call("whoami")).toMatchObject({ user_id: "umar" });
  });

  test("17: a key that somebody signed in under tells no right password from wrong, and slows guesses down no less", async () => {
    await using hub = await start({ ...PROXY, CREWROOM_AUTH_FAIL_LIMIT: "5" });
    await found(hub, "198.51.100.1");
    const input = { org_id: "acme", user_id: "umar", idempotency_key: "known" };
    await makeNobody(hub.url, "198.51.100.1").call("login", { ...input, password: PASSWORD });

    const codes = [];
    for (let guess = 0; guess < 8; guess++) {
      const reply = await makeNobody(hub.url, "203.0.113.7").try("login", { ...input, password: `guess ${guess}` });
      codes.push(reply.ok ? "in" : reply.code);
    }

    expect(codes).not.toContain("key_reused");
    expect(new Set(codes.slice(0, 4))).toEqual(new Set(["wrong_sign_in"]));
    expect(codes.at(-1)).toBe("too_many_attempts");
  });

  test("18: a sign-in ends by itself and by its owner, a password changes, a person can be removed", async () => {
    await using hub = await start();
    const first = await found(hub);
    const second = await signIn(hub.url, "umar", PASSWORD);
    const admin = await signIn(hub.url, "admin", FOUNDER.admin_password);
    const seen = ((await first.call("list_sessions"))["sessions"] as Value[]).length;

    await second.call("logout");
    const loggedOut = await second.try("whoami");
    const changed = { old_password: PASSWORD, new_password: "another-user-password" };
    await first.call("change_password", changed);
    const old = await makeNobody(hub.url).try("login", { org_id: "acme", user_id: "umar", password: PASSWORD });
    const rotated = { old_password: FOUNDER.admin_password, new_password: "another of the founder" };
    await admin.call("change_password", rotated);
    const oldAdmin = await makeNobody(hub.url).try("register_user", { ...FOUNDER, user_id: "x1", name: "X" });
    await admin.call("deactivate_member", { user_id: "umar" });
    const removed = await first.try("whoami");
    hub.later({ days: 30 });
    const expired = await admin.try("whoami");

    expect(seen).toBe(2);
    expect([loggedOut, removed, expired]).toMatchObject([{ status: 401 }, { status: 401 }, { status: 401 }]);
    expect([old, oldAdmin]).toMatchObject([{ code: "wrong_sign_in" }, { code: "wrong_sign_in" }]);
  });

  test("19: no secret that was an argument is kept in clear or comes back, and its person has to choose another", async () => {
    await using hub = await start();
    const umar = await found(hub);
    const admin = await signIn(hub.url, "admin", FOUNDER.admin_password);
    const answers = [
      await admin.call("list_members"),
      await admin.call("get_audit_log"),
      await umar.call("whoami"),
      await umar.call("list_sessions"),
    ];

    const stored = await hub.hub.store.read(async (tx) => {
      const tables = ["events", "idempotency", "members", "persons", "tokens", "organizations", "invitations"];
      const rows = [];
      for (const table of tables) rows.push(...(await tx.all({ texts: [`select * from ${table}`], values: [] })));
      return JSON.stringify(rows);
    });

    for (const secret of [FOUNDER.admin_password, PASSWORD, umar.token, admin.token]) {
      expect(stored).not.toContain(secret);
      expect(JSON.stringify(answers)).not.toContain(secret);
    }
    expect(answers[0]?.["members"].map(({ password }: Value) => password)).toEqual([
      "known to tools",
      "known to tools",
    ]);
  });

  test("20: nobody makes organizations without end, and where sign-up is not open nobody makes one at all", async () => {
    await using open = await start({ ...PROXY, CREWROOM_AUTH_FAIL_LIMIT: "3" });
    await using usual = await start({ CREWROOM_TRUSTED_PROXIES: "127.0.0.1" });
    const register = async (hub: TestHub, org_id: string) => {
      const input = { ...FOUNDER, org_id, name: "Acme" };
      const reply = await makeNobody(hub.url, "203.0.113.1").try("register_organization", input);
      return reply.ok ? "made" : reply.code;
    };

    const codes = [];
    for (const org_id of ["one", "two", "three", "four"]) codes.push(await register(open, org_id));

    expect(codes).toEqual(["made", "made", "made", "too_many_from_address"]);
    expect(await register(usual, "one")).toBe("sign_up_closed");
  });

  test("21: while many sign in, everybody else's calls go on between", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    const umar = await found(hub);
    const nobody = makeNobody(hub.url);
    const state = { storming: true };
    const hashes = 30;

    const storm = Promise.all(
      Array.from({ length: hashes }, (_, index) =>
        nobody.try("login", { org_id: "acme", user_id: `user${index}`, password: "guess" }),
      ),
    ).finally(() => (state.storming = false));
    let calls = 0;
    for (; state.storming; calls += 1) await umar.call("list_rooms");
    const replies = await storm;

    expect(replies.map((reply) => reply.ok || reply.status)).toEqual(replies.map(() => 401));
    // On the event loop, each would wait for a hash.
    expect(calls).toBeGreaterThan(2 * hashes);
  });

  test("24: an administrator is a person with a name: what is done with its password is on record", async () => {
    await using hub = await start();
    await found(hub);
    const nobody = makeNobody(hub.url);
    await nobody.call("update_user_profile_notes", { ...FOUNDER, user_id: "umar", profile_notes: "on leave" });
    const admin = await signIn(hub.url, "admin", FOUNDER.admin_password);

    const { events } = await admin.call("get_audit_log");
    const umar = await signIn(hub.url, "umar", PASSWORD);

    const acts = (events as Value[]).map(({ kind, actor, address }) => `${kind} ${actor} ${address}`);
    expect(acts).toEqual([
      "signed_in admin 127.0.0.1",
      "member_changed admin 127.0.0.1",
      "signed_in umar 127.0.0.1",
      "member_added admin 127.0.0.1",
      "member_added admin 127.0.0.1",
      "room_created admin 127.0.0.1",
      "organization_created admin 127.0.0.1",
    ]);
    expect(await umar.try("get_audit_log")).toMatchObject({ status: 403 });
    expect(await hub.hub.store.read((tx) => tx.all(sql`select 1 from events where actor = '-'`))).toEqual([]);
  });
});
