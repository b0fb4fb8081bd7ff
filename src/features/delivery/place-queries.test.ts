import { expect, test } from "vitest";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { MOST_PLACES } from "./place-queries.ts";

const placesOf = (hub: TestHub) =>
  hub.hub.store.read((tx) =>
    tx.all<{ member: string; session: string }>(sql`
      select t.member, p.session
      from places p
      join tokens t on t.organization = p.organization and t.id = p.credential
      where p.organization = 'main'`),
  );

onEachStore("places", (start) => {
  test("of a token are bounded: the oldest makes room, but not that of no session, and no other token's", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "news" });
    for (const reader of [hub.as("box3").in("other"), hub.as("box2"), hub.as("box2").in("oldest")])
      await reader.call("whats_new");
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`
        with recursive n(number) as (select 1 union all select number + 1 from n where number < ${MOST_PLACES + 10})
        insert into places (organization, credential, session, path, room, position, offered, offered_by, offered_at)
        select p.organization, p.credential, 'made-up-' || cast(n.number as text), p.path, p.room, 0, 0, '-', p.offered_at + 1
        from places p
        cross join n
        where p.session = 'oldest'`),
    );
    hub.later({ minutes: 1 });

    await hub.as("box2").in("newest").call("whats_new");
    const after = await placesOf(hub);

    const sessions = after.filter(({ member }) => member === "box2").map(({ session }) => session);
    expect(sessions).toHaveLength(MOST_PLACES + 1);
    expect(sessions).toEqual(expect.arrayContaining(["-", "newest"]));
    expect(sessions).not.toContain("oldest");
    expect(after.filter(({ member }) => member === "box3")).toEqual([{ member: "box3", session: "other" }]);
  });
});
