import { expect, test } from "vitest";
import { LIMITS } from "../../core/limits.ts";
import { isWellFormedToken } from "../../core/secrets.ts";
import { sql } from "../../store/sql.ts";
import { makeActor, makeNobody, type Value } from "../../testkit/actor.ts";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

const ANN = { org_id: "main", user_id: "ann", password: PASSWORD };
const signIn = (hub: TestHub, who: Value = {}) => makeNobody(hub.url).try("login", { ...ANN, ...who });

async function everythingStored({ hub }: TestHub): Promise<string> {
  return hub.store.read(async (tx) => {
    const rows = [
      ...(await tx.all(sql`select * from events`)),
      ...(await tx.all(sql`select * from idempotency`)),
      ...(await tx.all(sql`select * from tokens`)),
      ...(await tx.all(sql`select * from persons`)),
    ];
    return JSON.stringify(rows);
  });
}

onEachStore("login", (start) => {
  test("gives a person a token that works until it ends, and says what to do with it", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const answer = await makeNobody(hub.url).call("login", ANN);
    const ann = makeActor(hub.url, "ann", answer["auth_token"]);
    const rooms = await ann.call("list_rooms");
    hub.later({ days: LIMITS.sessionDays });
    const after = await ann.try("list_rooms");

    expect(isWellFormedToken(answer["auth_token"])).toBe(true);
    expect(answer["auth_token"]).toMatch(/^crw_usr_/);
    expect(answer).toMatchObject({ logged_in: true, profile: { org_id: "main", user_id: "ann" } });
    expect([answer["important"], answer["assistant_instruction"]].join()).toMatch(/auth_token/);
    expect(answer["profile"]).not.toHaveProperty("profile_notes");
    expect(rooms["you_are"]).toBe("ann");
    expect(after).toMatchObject({ status: 401, code: "not_signed_in" });
  });

  test("keeps neither the password nor the token, and tells who signed in, from where", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const { auth_token } = await makeNobody(hub.url).call("login", { ...ANN, idempotency_key: "once" });
    const stored = await everythingStored(hub);
    const audited = (await hub.as("dora").call("get_audit_log", { kind: "signed_in" }))["events"] as Value[];

    expect(stored).not.toContain(auth_token);
    expect(stored).not.toContain(PASSWORD);
    expect(audited).toMatchObject([{ actor: "ann", address: "127.0.0.1", concerns: ["ann"] }]);
  });

  test("answers alike for every way in which the three do not go together", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    await hub.seatPeople();
    await hub.as("dora").call("deactivate_member", { user_id: "cleo" });
    await hub.as("dora").call("register_user", { user_id: "eve", name: "Eve" });
    const before = await hub.state();

    const replies = await Promise.all(
      [
        { password: "wrong" },
        { password: PASSWORD.toUpperCase() },
        { password: ` ${PASSWORD}` },
        { org_id: "other" },
        { org_id: "nowhere" },
        { user_id: "nobody" },
        { user_id: "annbot" },
        { user_id: "box1" },
        { user_id: "admin" },
        { user_id: "cleo" },
        { user_id: "eve" },
      ].map((who) => signIn(hub, who)),
    );

    const told = replies.map((reply) => {
      if (reply.ok) return "in";
      const { trace: _, ...error } = reply.error;
      return { status: reply.status, error, headers: [...reply.headers.keys()].toSorted() };
    });
    expect(told[0]).toMatchObject({ status: 401, error: { code: "wrong_sign_in" } });
    expect(told).toEqual(told.map(() => told[0]));
    expect(await hub.state()).toBe(before);
  });

  test("shows in no way but by being asked whether the account is there: the budget is spent alike", async () => {
    await using hub = await start({ CREWROOM_TRUSTED_PROXIES: "127.0.0.1", CREWROOM_AUTH_FAIL_LIMIT: "3" });
    await hub.seatPeople();
    const guess = async (user_id: string, from: number) => {
      const reply = await makeNobody(hub.url, `203.0.113.${from}`).try("login", { ...ANN, user_id, password: "guess" });
      return reply.ok ? "in" : reply.code;
    };

    const codes: Record<string, string[]> = {};
    for (const [index, user_id] of ["ann", "nobody", "annbot"].entries()) {
      codes[user_id] = [];
      for (let from = 1; from <= 5; from += 1) codes[user_id].push(await guess(user_id, index * 10 + from));
    }

    const spent = ["wrong_sign_in", "wrong_sign_in", "wrong_sign_in", "too_many_attempts", "too_many_attempts"];
    expect(codes).toEqual({ ann: spent, nobody: spent, annbot: spent });
  });

  test("lets the owner in from where it was before, whatever strangers did to the account", async () => {
    await using hub = await start({ CREWROOM_TRUSTED_PROXIES: "127.0.0.1", CREWROOM_AUTH_FAIL_LIMIT: "3" });
    await hub.seatPeople();
    const from = (address: string, password: string) => makeNobody(hub.url, address).try("login", { ...ANN, password });
    await from("192.0.2.1", PASSWORD);

    for (let guess = 0; guess < 30; guess += 1) await from(`203.0.113.${guess}`, "guess");
    const stranger = await from("198.51.100.1", PASSWORD);
    const owner = await from("192.0.2.1", PASSWORD);

    expect(stranger).toMatchObject({ status: 429, code: "too_many_attempts" });
    expect(stranger.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(owner).toMatchObject({ ok: true });
  });

  test("marks the password as known to tools from then on", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const state = async () =>
      ((await hub.as("dora").call("list_members"))["members"] as Value[]).find(({ user_id }) => user_id === "ann")?.[
        "password"
      ];

    const before = await state();
    await signIn(hub, { password: "wrong" });
    const between = await state();
    await signIn(hub);
    const after = await state();

    expect([before, between, after]).toEqual(["chosen", "chosen", "known to tools"]);
  });
});

onEachStore("logout", (start) => {
  test("ends the sign-in it is called with, and no other", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { auth_token } = await makeNobody(hub.url).call("login", ANN);
    const one = makeActor(hub.url, "ann", auth_token);

    const answer = await one.call("logout");

    expect(answer).toEqual({ logged_out: true });
    expect(await one.try("whoami")).toMatchObject({ status: 401 });
    expect(await hub.as("ann").try("whoami")).toMatchObject({ ok: true });
    expect((await hub.eventsOf(null)).at(-1)).toMatchObject({ kind: "signed_out", actor: "ann", concerns: ["ann"] });
  });

  test("is a person's: no agent's token ends by it", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const replies = [await hub.as("annbot").try("logout"), await hub.as("boss").try("logout")];

    expect(replies).toMatchObject(replies.map(() => ({ status: 403, code: "not_allowed" })));
    expect(await hub.as("annbot").try("whoami")).toMatchObject({ ok: true });
  });
});
