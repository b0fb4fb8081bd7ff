import { expect, test } from "vitest";
import { markPresence } from "./access/queries.ts";
import { sweepSessions } from "./housekeeping.ts";
import { sql } from "./store/sql.ts";
import { onEachStore, type TestHub } from "./testkit/hub.ts";

const sessionsIn = (hub: TestHub, table: "places" | "presence") =>
  hub.hub.store.read(async (tx) => {
    const query = { texts: [`select session from ${table} where organization = 'main' order by session`], values: [] };
    return (await tx.all<{ session: string }>(query)).map((row) => row.session);
  });

const endOfLease = async (hub: TestHub, task_id: number) =>
  (await hub.as("box1").call("get_task", { task_id }))["task"].lease_ends_at;

onEachStore("the sweep of sessions", (start) => {
  test("drops places of sessions that were silent for 30 days, page by page, and keeps those that still call", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "the only one in a quiet room" });
    for (const session of ["calls", "silent"]) await hub.as("box2").in(session).call("whats_new");
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`
        with recursive n(number) as (select 1 union all select number + 1 from n where number < 1200)
        insert into places (organization, credential, session, path, room, position, offered, offered_by, offered_at)
        select p.organization, p.credential, 'made-up-' || cast(n.number as text), p.path, p.room, 0, 0, '-', p.offered_at
        from places p
        cross join n
        where p.session = 'silent'`),
    );

    hub.later({ days: 20 });
    await hub.as("box2").in("calls").call("list_rooms");
    await hub.as("box2").in("new").call("whats_new");
    hub.later({ days: 9 });
    await sweepSessions(hub.hub.core);
    const after29Days = await sessionsIn(hub, "places");
    hub.later({ days: 2 });
    await sweepSessions(hub.hub.core);

    expect(after29Days).toHaveLength(1_203);
    expect(await sessionsIn(hub, "places")).toEqual(["calls", "new"]);
    expect(await hub.as("box2").in("calls").call("whats_new")).toMatchObject({ count: 0 });
  });

  test("drops a session's presence after a day, but for a member's newest and what a place needs", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "something to be handed out" });
    for (const session of ["one", "two"]) await hub.as("box2").in(session).call("list_rooms");
    await hub.as("box2").in("reader").call("whats_new");
    hub.later({ seconds: 30 });
    await hub.as("box2").in("three").call("list_rooms");

    hub.later({ hours: 23 });
    await sweepSessions(hub.hub.core);
    const after23Hours = await sessionsIn(hub, "presence");
    hub.later({ hours: 2 });
    await sweepSessions(hub.hub.core);
    const after25Hours = await sessionsIn(hub, "presence");
    hub.later({ days: 30 });
    await sweepSessions(hub.hub.core);

    expect(after23Hours).toEqual(["-", "one", "reader", "three", "two"]);
    expect(after25Hours).toEqual(["-", "reader", "three"]);
    expect(await sessionsIn(hub, "presence")).toEqual(["-", "three"]);
  });

  test("leaves every lease as it was, whose session is known and whose is not", async () => {
    await using hub = await start();
    await hub.as("chief").call("set_room_policy", { lease_minutes: 7 * 24 * 60 });
    for (const title of ["session known", "session unknown"]) await hub.as("box1").call("create_task", { title });
    await hub.as("box2").in("holder").call("claim_task", { task_id: 1 });
    await hub.as("box3").call("claim_task", { task_id: 2 });
    hub.later({ days: 2 });
    await hub.as("box2").in("holder").call("list_rooms");
    await hub.as("box3").in("any").call("list_rooms");
    hub.later({ hours: 1 });
    await hub.as("box2").in("other").call("list_rooms");
    const watched = (tx: Parameters<typeof markPresence>[0]) => markPresence(tx, "main", "box3", "watcher", "watch");
    await hub.hub.store.write("main", watched);
    const before = [await endOfLease(hub, 1), await endOfLease(hub, 2)];

    hub.later({ days: 2 });
    await sweepSessions(hub.hub.core);

    expect([await endOfLease(hub, 1), await endOfLease(hub, 2)]).toEqual(before);
    expect(await sessionsIn(hub, "presence")).toEqual(expect.arrayContaining(["any", "holder", "other", "watcher"]));
  });
});
