import { expect, test } from "vitest";
import type { Answer } from "../../core/execute.ts";
import { HubError } from "../../core/errors.ts";
import { sql } from "../../store/sql.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { fillLog } from "../../testkit/log.ts";
import {
  againOf,
  asIfOfferedBy,
  ask,
  hangUpWhileAsking,
  idsOf,
  itemsOf,
  placeOf,
  until,
  withNews,
} from "../../testkit/news.ts";
import { pruneEvents } from "../rooms/pruning-queries.ts";

onEachStore("whats_new", (start, kind) => {
  test("offers again, marked, what was cut, and moves its place only over what was written out", async () => {
    await using hub = await withNews(start, 4);

    const cut = await ask(hub, { limit: 2 });
    await cut.settled?.(false);
    const repeated = await ask(hub, { limit: 3 });
    const before = await placeOf(hub);
    await repeated.settled?.(true);
    const after = await placeOf(hub);
    const rest = await ask(hub);

    expect(idsOf(repeated).slice(0, 2)).toEqual(idsOf(cut));
    expect(againOf(repeated)).toEqual(idsOf(cut));
    expect([before.position, after.position]).toEqual([cut.value["since_event_id"], idsOf(repeated)[2]]);
    expect([idsOf(rest).length, againOf(rest)]).toEqual([1, []]);
  });

  test("confirms what was written out through every door, and nothing through those that only look", async () => {
    await using hub = await withNews(start, 1);
    const before = (await placeOf(hub)).position;
    const box2 = hub.as("box2");
    const json = { "content-type": "application/json" };
    const mcp = (headers: Record<string, string>, meta: object = {}) =>
      box2.fetch("/mcp", {
        method: "POST",
        headers: { ...json, ...headers },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "whats_new", arguments: {}, ...meta },
        }),
      });
    const modern = "2026-07-28";

    await box2.fetch("/v1/whats_new");
    await box2.fetch("/v1/whats_new", { method: "HEAD" });
    await box2.call("whats_new", { peek: true });
    const looked = (await placeOf(hub)).position;
    const doors = [
      () => box2.fetch("/api/whats_new", { method: "POST", headers: json, body: "{}" }),
      () => box2.fetch("/v1/whats_new", { method: "POST" }),
      () => mcp({}),
      () =>
        mcp(
          { "mcp-protocol-version": modern, "mcp-method": "tools/call", "mcp-name": "whats_new" },
          {
            _meta: {
              "io.modelcontextprotocol/protocolVersion": modern,
              "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
              "io.modelcontextprotocol/clientCapabilities": {},
            },
          },
        ),
    ];
    for (const [index, open] of doors.entries()) {
      const { message_id } = await hub.as("box1").call("post_message", { body: `door ${index}` });
      const response = await open();
      expect(await response.text(), `door ${index}`).toContain(`door ${message_id - 2}`);
      await until(async () => (await placeOf(hub)).position === (await placeOf(hub)).offered);
    }

    expect(looked).toBe(before);
    expect((await placeOf(hub)).position).toBeGreaterThan(before);
  });

  test("offers again only what was cut, not what another call has under way", async () => {
    await using hub = await withNews(start, 4);

    const cut = await ask(hub, { limit: 2 });
    const underWay = await ask(hub, { limit: 2 });
    await cut.settled?.(false);
    const repeated = await ask(hub);
    await underWay.settled?.(true);
    const gap = await placeOf(hub);
    await repeated.settled?.(true);
    const whole = await placeOf(hub);

    expect([idsOf(repeated), againOf(repeated)]).toEqual([idsOf(cut), idsOf(cut)]);
    expect(gap.position).toBe(cut.value["since_event_id"]);
    expect(whole.position).toBe(idsOf(underWay)[1]);
    expect(idsOf(await ask(hub))).toEqual([]);
  });

  test("offers again what nobody spoke of for a minute", async () => {
    await using hub = await withNews(start, 1);

    const lost = await ask(hub);
    const soon = await ask(hub);
    hub.later({ seconds: 61 });
    const later = await ask(hub);

    expect([idsOf(soon), idsOf(later)]).toEqual([[], idsOf(lost)]);
  });

  test("offers again what a client hung up on before its answer was written", async () => {
    await using hub = await withNews(start, 1);

    await hangUpWhileAsking(hub);
    const seen = await ask(hub);

    expect(itemsOf(seen)).toMatchObject([{ message_id: 1, again: true }]);
  });

  test("moves its place only to what is acknowledged once the reader acknowledges", async () => {
    await using hub = await withNews(start, 4);
    const cursorTo = (answer: Answer, index: number) =>
      String(answer.value["cursor"]).replace(/\d+$/, String(idsOf(answer)[index]));

    const first = await ask(hub, { ack: "0" });
    await first.settled?.(true);
    const second = await ask(hub, { ack: cursorTo(first, 1) });
    await second.settled?.(true);
    const place = await placeOf(hub);
    const back = await ask(hub, { ack: idsOf(first)[0] });
    await back.settled?.(true);
    const done = await ask(hub, { ack: second.value["cursor"] });

    expect([idsOf(second), againOf(second)]).toEqual([idsOf(first).slice(2), idsOf(first).slice(2)]);
    expect(place.position).toBe(idsOf(first)[1]);
    expect(idsOf(back)).toEqual(idsOf(second));
    expect(idsOf(done)).toEqual([]);
    expect((await placeOf(hub)).position).toBe(idsOf(first)[3]);
  });

  test("passes nothing over for a reader that acknowledges, whatever is under way", async () => {
    await using hub = await withNews(start, 4);

    const underWay = await ask(hub, { ack: "0", limit: 2 });
    const asked = await ask(hub, { ack: "0" });
    await underWay.settled?.(false);

    expect(idsOf(asked).slice(0, 2)).toEqual(idsOf(underWay));
    expect(againOf(asked)).toEqual(idsOf(underWay));
  });

  test("takes the previous answer as read when a reader stops acknowledging", async () => {
    await using hub = await withNews(start, 2);

    const first = await ask(hub, { ack: "0" });
    await first.settled?.(true);

    expect(idsOf(await ask(hub))).toEqual([]);
  });

  test("takes back the cursor of an answer that had no news", async () => {
    await using hub = await start();
    await hub.as("opsbox").call("post_message", { body: "elsewhere" });

    const quiet = await ask(hub, { ack: "0" });
    const acknowledged = await ask(hub, { ack: quiet.value["cursor"] });

    expect([idsOf(quiet), idsOf(acknowledged)]).toEqual([[], []]);
  });

  test("refuses to acknowledge what it never offered", async () => {
    await using hub = await withNews(start, 2);
    await hub.as("opsbox").call("post_message", { body: "elsewhere" });
    await ask(hub, { limit: 1 });
    const { position } = await hub.hub.store.read((tx) =>
      tx
        .one<{ position: number }>(sql`select position from logs where organization = 'main'`)
        .then((row) => row ?? { position: 0 }),
    );

    const replies = [];
    for (const ack of [position, position + 1, "zzzzzzzzzzzz.1", "1.5", "-1", "nothing", 1.5]) {
      replies.push(await hub.as("box2").try("whats_new", { ack }));
    }

    expect(replies.map((reply) => !reply.ok && [reply.status, reply.code])).toEqual([
      [400, "unknown_cursor"],
      [400, "cursor_ahead"],
      [410, "epoch_changed"],
      [400, "unknown_cursor"],
      [400, "unknown_cursor"],
      [400, "unknown_cursor"],
      [400, "bad_input"],
    ]);
  });

  test("offers again what a process that died had under way", async () => {
    await using hub = await withNews(start, 2);
    const lost = await ask(hub);
    await asIfOfferedBy(hub, "a node that is gone");

    const soon = await ask(hub);
    hub.later({ seconds: 11 });
    const later = await ask(hub);

    // One process serves a SQLite file, so the other is dead; on Postgres it may only be slow.
    const repeats = kind === "sqlite" ? [soon, later] : [later, soon];
    expect(repeats.map(idsOf)).toEqual([idsOf(lost), []]);
    expect(repeats.map(againOf)).toEqual([idsOf(lost), []]);
  });

  test("goes on behind what another node has under way, and leaves no gap when that arrives", async () => {
    if (kind === "sqlite") return;
    await using hub = await withNews(start, 2);
    const elsewhere = await ask(hub, { limit: 1 });
    await asIfOfferedBy(hub, "another node");

    const here = await ask(hub);
    await here.settled?.(true);
    const before = await placeOf(hub);
    await hub.hub.store.write("main", (tx) => tx.run(sql`update places set position = ${idsOf(elsewhere)[0] ?? 0}`));
    hub.later({ seconds: 11 });
    const after = await ask(hub);

    expect([...idsOf(elsewhere), ...idsOf(here)].length).toBe(2);
    expect(before.position).toBe(elsewhere.value["since_event_id"]);
    expect(idsOf(after)).toEqual([]);
  });

  test("keeps the newcomer's information for the next call when the first answer was cut", async () => {
    await using hub = await start();
    await hub.as("chief").call("set_room_info", { description: "Sensors" });

    const cut = await ask(hub);
    await cut.settled?.(false);
    const repeated = await ask(hub);
    await repeated.settled?.(true);

    expect([cut, repeated, await ask(hub)].map(({ value }) => "room_onboarding" in value)).toEqual([true, true, false]);
  });

  test("marks what another path of the session has shown already", async () => {
    await using hub = await withNews(start, 2);
    const { value } = await ask(hub, { peek: true });
    const [first] = itemsOf({ value });
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`
        insert into places (organization, credential, session, path, room, position, offered, offered_by, offered_at)
        select p.organization, p.credential, p.session, 'hook', p.room, cast(${first?.id ?? 0} as bigint), p.offered, p.offered_by, p.offered_at
        from places p`),
    );

    expect(itemsOf(await ask(hub)).map((item) => "already_shown" in item)).toEqual([true, false]);
  });

  test("ends a page by bytes, on each surface by its own, and loses nothing by it", async () => {
    await using hub = await withNews(start, 0);
    await fillLog(hub, "lobby", "box1", 500);

    for (const [surface, most] of [
      ["mcp", 24_000],
      ["rest", 64_000],
    ] as const) {
      const answer = await ask(hub, { limit: 200, peek: true }, surface);
      expect(Buffer.byteLength(JSON.stringify(answer.value))).toBeLessThan(most);
      expect(answer.value).toMatchObject({ has_more: true, remaining: 500 - idsOf(answer).length });
    }
    const ids: number[] = [];
    for (let more = true; more;) {
      const answer = await ask(hub, { limit: 200 }, "mcp");
      await answer.settled?.(true);
      ids.push(...idsOf(answer));
      more = answer.value["has_more"] === true;
    }
    expect([ids.length, new Set(ids).size]).toEqual([500, 500]);
  });

  test("tells that retention has removed what was never read", async () => {
    await using hub = await withNews(start, 3);
    const ids = idsOf(await ask(hub, { peek: true }));
    await (await ask(hub, { limit: 1 })).settled?.(true);
    await hub.hub.store.write("main", (tx) => pruneEvents(tx, { organization: "main", room: 1 }, ids[1] ?? 0));

    const refused: unknown = await ask(hub).catch((error: unknown) => error);
    const cursor = refused instanceof HubError ? String(refused.data["cursor"]) : "";
    const answer = await ask(hub, { ack: cursor });

    expect(refused).toMatchObject({ status: 410, code: "cursor_expired" });
    expect(idsOf(answer)).toEqual([ids[2]]);
  });
});
