import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeDatabase, type TestDatabase } from "../testkit/databases.ts";
import { runHere } from "../testkit/command.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase("sqlite");
  for (const [name, value] of Object.entries(database.settings)) vi.stubEnv(name, value);
  await runHere(["init"]);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await database.remove();
});

const json = async (...args: string[]) => {
  const { code, out, err } = await runHere([...args, "--json"]);
  return { code, ...(JSON.parse(out || err) as Record<string, unknown>) };
};

describe("room", () => {
  test("retention is shown and set, in whole days", async () => {
    expect(await json("room", "retention", "lobby")).toEqual({ code: 0, room: "lobby", retention_days: null });
    expect(await json("room", "retention", "lobby", "--days", "90")).toMatchObject({
      code: 0,
      retention_days: 90,
      pruned_now: { events: 0, messages: 0, files: 0 },
    });
    expect((await runHere(["room", "retention", "lobby"])).out).toBe(
      "Room lobby keeps messages, files and events for 90 days.\n",
    );
    expect(await json("room", "retention", "lobby", "--days", "0")).toMatchObject({ code: 0, retention_days: null });
    for (const days of ["-1", "1.5", "soon", ""])
      expect((await runHere(["room", "retention", "lobby", "--days", days])).code, days).toBe(2);
    expect((await json("room", "retention", "nowhere", "--days", "1")).code).toBe(4);
  });

  test("rename, archive and delete say what became of it", async () => {
    expect((await runHere(["room", "rename", "lobby", "hall"])).out).toBe("Room lobby is hall now.\n");
    expect((await runHere(["room", "archive", "hall"])).out).toBe("Room hall can be read, and written in no more.\n");
    expect(await json("room", "archive", "hall", "--undo")).toEqual({
      code: 0,
      ok: true,
      room: "hall",
      archived: false,
    });
    expect((await runHere(["room", "delete", "hall"])).code).toBe(2);
    expect(await json("room", "delete", "hall", "--yes")).toMatchObject({ code: 0, deleted_room: "hall" });
    expect(await json("room", "list")).toMatchObject({ count: 0, rooms: [] });
  });
});
