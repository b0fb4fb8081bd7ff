import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { type Foreign, openForeign } from "../../store/foreign.ts";
import { sql } from "../../store/sql.ts";
import { makeActor, type Value } from "../../testkit/actor.ts";
import { openSqlite } from "../../store/sqlite.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { CHATROOM_TOKENS, makeChatroom } from "../../testkit/originals.ts";
import { verdictOn } from "../integrity/verdict.ts";
import { importChatroom } from "./chatroom.ts";
import { nearestFree } from "./names.ts";

onEachStore("importing ChatRoomMCP", (start) => {
  test("brings rooms, tasks, notes, messages, files and the log over, in the order of time, and says what is another now", async () => {
    await using hub = await start();
    await using there = chatroom();

    const report = await bring(hub, there.path);

    expect(report.counts).toMatchObject({
      room: { imported: 2 },
      agent: { imported: 3 },
      token: { imported: 4 },
      task: { imported: 4 },
      message: { imported: 4 },
      note: { imported: 2 },
      file: { imported: 1, skipped: 2 },
    });
    // Room ops of the cast is empty, so it is taken; of handles none is given to another.
    expect(report.renamed).toEqual([
      { organization: "main", kind: "room", old: "Böse Räume!", new: "bose-raume" },
      { organization: "main", kind: "agent", old: "box1", new: "box1-2" },
      { organization: "main", kind: "agent", old: "Lead Agent", new: "lead-agent" },
      { organization: "main", kind: "agent", old: "admin", new: "admin-2" },
    ]);
    expect(report.numbers).toContainEqual({ organization: "main", room: "ops", kind: "task", old: "7", new: 2 });
    const box1 = makeActor(hub.url, "box1", CHATROOM_TOKENS.box1);
    const tasks = (await box1.call("list_tasks"))["tasks"] as Value[];
    expect(tasks.map(({ id, title, status, assignee, version }) => [id, title, status, assignee, version])).toEqual([
      [3, "Nobody's", "pending", null, 1],
      [2, "Order a seal", "pending", "lead-agent", 1],
      [1, "Mend the pump", "in_progress", "box1-2", 4],
    ]);
    // Of a circle one need is left out, and so is one in another room.
    expect(tasks.map(({ depends_on }) => depends_on)).toEqual([[], [], [2]]);
    expect((await box1.call("get_task", { task_id: 1 }))["task"]["notes"]).toMatchObject([
      { author: "box1-2", body: "Seal is worn.", ts: "2026-05-01T10:00:35.000Z" },
      { author: "lead-agent", body: "Go on." },
    ]);
    expect((await box1.call("read_messages", { since_id: 0 }))["messages"]).toMatchObject([
      { id: 1, author: "box1-2", body: "The poller is live.\n漢字", ts: "2026-05-01T10:00:11.000Z", reply_to: null },
      { id: 2, author: "lead-agent", body: "Thanks.", reply_to: 1 },
      { id: 3, author: "crewroom", body: "Upgraded 0.1.0 to 0.2.0." },
    ]);
    expect(await box1.call("get_file", { file_id: 1 })).toMatchObject({
      name: "logs_pump.log",
      content_base64: btoa("pressure"),
    });
    expect(await box1.call("get_room_info")).toMatchObject({
      description: "Pumps and pipes",
      repo_url: "https://git.example/ops",
      retention_days: 30,
    });
    expect(report.notes.join("\n")).toMatch(/ftp:\/\/old.example[\s\S]*file 6 has expired[\s\S]*file 9 is damaged/);
    expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
  });

  test("lets tokens go on working as they were, and agents read on where they had come to", async () => {
    await using hub = await start();
    await using there = chatroom();
    const before = await makeActor(hub.url, "box1", CHATROOM_TOKENS.box1).try("whats_new");
    await bring(hub, there.path);
    hub.later({ seconds: 2 });
    const as = (token: string) => makeActor(hub.url, "imported", token);

    const news = await as(CHATROOM_TOKENS.box1).call("whats_new");
    const posted = await as(CHATROOM_TOKENS.box1).try("post_message", { body: "here now" });
    const watching = await as(CHATROOM_TOKENS.watcher).try("post_message", { body: "may not" });
    const boss = await as(CHATROOM_TOKENS.lead).try("instance_state");
    const revoked = await as(CHATROOM_TOKENS.gone).try("whats_new");
    const madeUp = await as(`cr_${"z".repeat(43)}`).try("whats_new");

    expect(before).toMatchObject({ status: 401 });
    expect(news["events"].map(({ kind }: Value) => kind)).toEqual(["note_added", "message", "task_updated"]);
    expect(posted).toMatchObject({ ok: true, value: { message_id: 4, author: "box1-2" } });
    expect(watching).toMatchObject({ ok: false, status: 403 });
    expect(boss).toMatchObject({ ok: true });
    expect([revoked, madeUp]).toMatchObject([{ status: 401 }, { status: 401 }]);
  });

  test("can be run again: nothing comes twice, and what was written there meanwhile comes behind", async () => {
    await using hub = await start();
    await using there = chatroom();
    await bring(hub, there.path);
    const once = await hub.state();
    const again = await bring(hub, there.path);
    const twice = await hub.state();
    there.db
      .prepare("insert into messages (room, ts, author, body, reply_to) values ('ops', ?, 'box1', 'One more.', 15)")
      .run("2026-05-01T12:00:00+00:00");
    const more = await bring(hub, there.path);

    expect(twice).toBe(once);
    expect(Object.values(again.counts).map(({ imported }) => imported)).toEqual(
      Object.values(again.counts).map(() => 0),
    );
    expect(more.counts["message"]).toEqual({ imported: 1, already: 4, skipped: 0 });
    const box1 = makeActor(hub.url, "box1", CHATROOM_TOKENS.box1);
    expect((await box1.call("read_messages", {}))["messages"].at(-1)).toMatchObject({
      id: 4,
      body: "One more.",
      reply_to: 2,
    });
  });

  test("goes on where it broke off, whenever that was", async () => {
    await using hub = await start();
    await using other = await start();
    await using there = chatroom();
    await bring(other, there.path);
    const whole = await tablesOf(other);

    for (let rows = 1; ; rows += 3) {
      const foreign = breakingAfter(await openForeign(there.path), rows);
      const done = await importChatroom(hub.hub.store, foreign, SCOPE).catch((error: unknown) => error);
      await foreign.close();
      if (!(done instanceof Error)) break;
      expect(done.message).toBe("cut off");
    }

    expect(await tablesOf(hub)).toEqual(whole);
    expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
  });

  test("says so when a room that it brought was deleted here and more was written there", async () => {
    await using hub = await start();
    await using there = chatroom();
    await bring(hub, there.path);
    await hub.as("boss").call("delete_room", { room: "ops", confirm: "ops" });
    const again = await bring(hub, there.path);
    there.db
      .prepare("insert into messages (room, ts, author, body) values ('ops', '2026-05-01T12:00:00+00:00', 'box1', 'x')")
      .run();

    expect(again.counts["message"]).toEqual({ imported: 0, already: 4, skipped: 0 });
    await expect(bring(hub, there.path)).rejects.toThrow(/was deleted here. Name another --source/);
  });

  test("takes no database for one that it is not", async () => {
    await using hub = await start();
    await using there = scratchFolder();
    const db = new DatabaseSync(join(there.folder, "other.db"));
    db.exec("create table rooms (name text)");
    db.close();

    await expect(bring(hub, join(there.folder, "other.db"))).rejects.toThrow(
      /no database of ChatRoomMCP: it has no table tokens/,
    );
    const ours = await openSqlite({ path: join(there.folder, "ours.db") });
    await ours.close();
    await expect(bring(hub, join(there.folder, "ours.db"))).rejects.toThrow(/its rooms have no created_ts/);
    await expect(bring(hub, join(there.folder, "none.db"))).rejects.toThrow(/There is no file/);
  });
});

test("a name outside the rule becomes the nearest free one", async () => {
  const taken = new Set(["box1", "box1-2", "x".repeat(64)]);
  const nearest = (old: string) => nearestFree(old, "agent", (name) => taken.has(name));

  const names = await Promise.all(
    ["Größe & Co", "box1", "Approved", "  ", "漢字", "__x__", "x".repeat(80), "a.b/c"].map(nearest),
  );

  expect(names).toEqual([
    "große-co".replace("ß", "-"),
    "box1-3",
    "approved-2",
    "agent",
    "agent",
    "x__",
    `${"x".repeat(62)}-2`,
    "a-b-c",
  ]);
});

const SCOPE = { organization: "main", source: "chatroom" } as const;

/** The same database, of which only so many rows can be read. */
function breakingAfter(foreign: Foreign, rows: number): Foreign {
  let left = rows;
  return {
    ...foreign,
    async *rows(table, order) {
      for await (const row of foreign.rows(table, order)) {
        if (left === 0) throw new Error("cut off");
        left -= 1;
        yield row;
      }
    },
  };
}

/** What was brought over, but for what is made anew in each database. */
async function tablesOf({ hub }: TestHub): Promise<string[]> {
  const queries = [
    sql`select room, number, title, status, assignee, depends_on, version, created_at, updated_at, last_note from tasks order by 1, 2`,
    sql`select room, task, number, author, at, body from notes order by 1, 2, 3`,
    sql`select room, number, author, at, body, reply_to, thread from messages order by 1, 2`,
    sql`select room, number, name, sha256, author, at from files order by 1, 2`,
    sql`select handle, display_name, kind from members order by 1`,
    sql`select member, hash, readonly, admin, all_rooms, default_room, revoked_at from tokens where label = 'imported' order by 2`,
    sql`select room, kind, actor, task, message, file, detail from events where kind <> 'token_created' order by kind, room, task, message, file, actor, detail`,
    sql`select kind, old, room from imported order by 1, 2`,
    sql`select t.member, p.session, p.path, p.room, p.welcomed_at > 0 as welcomed from places p
      join tokens t on t.organization = p.organization and t.id = p.credential where t.label = 'imported' order by 1, t.hash`,
  ];
  const tables = await hub.store.read(async (tx) => {
    const all: object[][] = [];
    for (const query of queries) all.push(await tx.all<object>(query));
    return all;
  });
  return tables.map((rows) => rows.map((row) => JSON.stringify(row)).join("\n"));
}

function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-import-"));
  return { folder, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }) };
}

function chatroom() {
  const { folder } = scratchFolder();
  const path = join(folder, "chatroom.db");
  const db = makeChatroom(path);
  return {
    path,
    db,
    async [Symbol.asyncDispose]() {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function bring({ hub }: TestHub, path: string) {
  const foreign = await openForeign(path);
  try {
    return await importChatroom(hub.store, foreign, SCOPE);
  } finally {
    await foreign.close();
  }
}
