import { expect, test } from "vitest";
import type { HubError } from "../core/errors.ts";
import type { NewEvent } from "../core/events.ts";
import { LIMITS } from "../core/limits.ts";
import { nobody } from "../core/roles.ts";
import { sql } from "../store/sql.ts";
import { makeActor } from "../testkit/actor.ts";
import { PASSWORD } from "../testkit/cast.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { type NewSignIn, openSession, type SignIn, verifySignIn } from "./sign-in.ts";

const HOME = "192.0.2.1";
const ELSEWHERE = "198.51.100.9";

function verify({ hub }: TestHub, who: Partial<SignIn> = {}, address = HOME) {
  const { core, store } = hub;
  return verifySignIn(
    { caller: nobody(address), passwords: core.passwords, read: store.read },
    { organization: "main", handle: "ann", password: PASSWORD, ...who },
  );
}

function open({ hub }: TestHub, passwordHash: string, how: Partial<NewSignIn> = {}) {
  return hub.store.write("main", async (tx) => {
    const events: NewEvent[] = [];
    const who = { organization: "main", handle: "ann", passwordHash, address: HOME, label: "", admin: true };
    const opened = await openSession({ tx, emit: (event) => events.push(event) }, { ...who, kind: "usr", ...how });
    return { ...opened, events: events.map(({ kind, actor }) => `${kind} ${actor}`) };
  });
}

const toRefusal = ({ code, status, message, next, data }: HubError) => ({ code, status, message, next, data });
const refusalOf = (signIn: Promise<unknown>) => signIn.then(() => "in").catch((error: { code: string }) => error.code);

onEachStore("verifySignIn", (start) => {
  test("lets a person in by its password, and says nothing of why it lets nobody else in", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    await hub.seatPeople();
    await hub.hub.store.write("main", async (tx) => {
      await tx.run(sql`update persons set password_hash = null where handle = 'ben'`);
      await tx.run(sql`update members set deactivated_at = ${tx.now} where handle = 'cleo'`);
    });

    const right = await verify(hub);
    const refusals = await Promise.all(
      [
        { password: `${PASSWORD} ` },
        { password: "" },
        { organization: "nowhere" },
        { organization: "other" },
        { handle: "nobody" },
        { handle: "annbot" },
        { handle: "ben" },
        { handle: "cleo" },
      ].map((who) => verify(hub, who).catch(toRefusal)),
    );

    expect(right).toMatchObject({ organization: "main", handle: "ann" });
    expect(refusals[0]).toMatchObject({ code: "wrong_sign_in", status: 401 });
    expect(refusals).toEqual(refusals.map(() => refusals[0]));
  });

  test("counts strangers' failures apart from those at the owner's address and in its browser", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "3" });
    await hub.seatPeople();
    await open(hub, (await verify(hub)).passwordHash);

    for (let guess = 0; guess < 5; guess += 1)
      for (const address of [ELSEWHERE, "198.51.100.10"]) await refusalOf(verify(hub, { password: "guess" }, address));

    expect(await refusalOf(verify(hub, {}, ELSEWHERE))).toBe("too_many_attempts");
    expect(await refusalOf(verify(hub, {}, "203.0.113.7"))).toBe("too_many_attempts");
    expect(await refusalOf(verify(hub, {}, HOME))).toBe("in");
    expect(await refusalOf(verify(hub, { device: "her browser" }, "203.0.113.7"))).toBe("in");
    expect(await refusalOf(verify(hub, { handle: "ben" }, "203.0.113.7"))).toBe("in");
  });

  test("takes an address for the person's for 30 days after it was used", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "1" });
    await hub.seatPeople();
    const { secret } = await open(hub, (await verify(hub)).passwordHash, { address: "127.0.0.1" });
    await makeActor(hub.url, "ann", secret).call("list_rooms");
    const asStranger = () => refusalOf(verify(hub, { password: "guess" }, ELSEWHERE));
    const atHome = () => refusalOf(verify(hub, {}, "127.0.0.1"));

    await asStranger();
    const soon = [await atHome(), await asStranger()];
    hub.later({ days: 30 });
    const late = [await atHome(), await asStranger()];

    expect(soon).toEqual(["in", "too_many_attempts"]);
    expect(late).toEqual(["too_many_attempts", "too_many_attempts"]);
  });
});

onEachStore("openSession", (start) => {
  test("gives a secret that signs its person in until it ends, and tells of it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { passwordHash } = await verify(hub);

    const opened = await open(hub, passwordHash);
    const ann = makeActor(hub.url, "ann", opened.secret);
    const before = await ann.try("list_rooms");
    hub.later({ days: LIMITS.sessionDays });
    const after = await ann.try("list_rooms");

    expect(opened.events).toEqual(["signed_in ann"]);
    expect([before, after]).toMatchObject([{ ok: true, value: { you_are: "ann" } }, { status: 401 }]);
  });

  test("gives nothing when the password was changed, or the person ended, since it was checked", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { passwordHash } = await verify(hub);

    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`update members set deactivated_at = ${tx.now} where handle = 'ann'`),
    );
    const ended = await refusalOf(open(hub, passwordHash));
    await hub.hub.store.write("main", async (tx) => {
      await tx.run(sql`update members set deactivated_at = null where handle = 'ann'`);
      await tx.run(sql`update persons set password_hash = 'another' where handle = 'ann'`);
    });
    const changed = await refusalOf(open(hub, passwordHash));

    expect([ended, changed]).toEqual(["wrong_sign_in", "wrong_sign_in"]);
  });

  test("ends a person's oldest session for one too many, and keeps no more that ended than may be live", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { passwordHash } = await verify(hub);
    const most = LIMITS.sessionsPerPerson;
    const sessions = () =>
      hub.hub.store.read((tx) =>
        tx.all<{ revoked_at: number | null }>(sql`
          select revoked_at
          from tokens
          where member = 'ann' and kind in ('usr', 'web')
          order by created_at, id`),
      );

    const events: string[][] = [];
    for (let count = 0; count < most * 2 + 5; count += 1) {
      hub.later({ seconds: 1 });
      events.push((await open(hub, passwordHash, { kind: count % 2 === 0 ? "usr" : "web" })).events);
    }

    const kept = await sessions();
    // The cast gave her one before.
    expect(events[most - 2]).toEqual(["signed_in ann"]);
    expect(events[most - 1]).toEqual(["signed_in ann", "signed_out crewroom"]);
    expect(kept.map(({ revoked_at }) => revoked_at === null)).toEqual([
      ...Array<boolean>(most).fill(false),
      ...Array<boolean>(most).fill(true),
    ]);
  });
});
