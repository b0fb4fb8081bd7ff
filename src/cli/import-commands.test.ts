import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { makeActor } from "../testkit/actor.ts";
import { runWith, serveProcess } from "../testkit/command.ts";
import { TESTED_STORES } from "../testkit/databases.ts";
import { makeDurableDatabase } from "../testkit/durable-database.ts";
import { CHATROOM_TOKENS, CTALK_TOKENS, ctalkStatements, makeChatroom } from "../testkit/originals.ts";

test.each(TESTED_STORES)(
  "crewroom import moves both originals to %s beside its server, with a report",
  { timeout: 90_000 },
  async (kind) => {
    await using database = await makeDurableDatabase(kind);
    const folder = mkdtempSync(join(tmpdir(), "crewroom-import-"));
    makeChatroom(join(folder, "chatroom.db")).close();
    const relay = new DatabaseSync(join(folder, "relay.sqlite3"));
    for (const [statement, values] of ctalkStatements()) relay.prepare(statement).run(...values);
    relay.close();
    await using server = await serveProcess(database.environment);
    const run = (...args: string[]) => runWith(database.environment, ["import", ...args]);

    const rooms = await run("chatroom", join(folder, "chatroom.db"), "--report", join(folder, "report.json"));
    const people = await run("ctalk", join(folder, "relay.sqlite3"), "--json");
    const wrong = await run("ctalk", join(folder, "chatroom.db"));
    const leaky = await run("ctalk", "postgres://user:secret@127.0.0.1/ctalk");

    expect([rooms.code, rooms.err]).toEqual([0, ""]);
    expect(rooms.out).toMatch(/Imported from chatroom into main\.\nWHAT +IMPORTED +ALREADY HERE +LEFT OUT\nroom +2 /);
    expect(rooms.out).toMatch(
      /Numbers that are others here:\nIN +ROOM +KIND +THERE +HERE\n(.*\n)*main +ops +task +7 +2/,
    );
    expect(JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))).toMatchObject({
      system: "chatroom",
      source: "chatroom",
    });
    expect(statSync(join(folder, "report.json")).mode & 0o777).toBe(0o600);
    expect([people.code, JSON.parse(people.out)]).toMatchObject([0, { organizations: ["odd", "acme"] }]);
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringMatching(/no database of Ctalk.*has no table organizations/),
    ]);
    expect([leaky.code, leaky.err]).toEqual([2, expect.stringMatching(/address with a password is no argument/)]);
    expect(leaky.err).not.toContain("secret");
    expect(await makeActor(server.url, "box1", CHATROOM_TOKENS.box1).call("list_rooms")).toMatchObject({
      you_are: "box1",
    });
    expect(await makeActor(server.url, "ann", CTALK_TOKENS.ann).call("whoami")).toMatchObject({
      profile: { user_id: "ann" },
    });
    rmSync(folder, { recursive: true });
  },
);
