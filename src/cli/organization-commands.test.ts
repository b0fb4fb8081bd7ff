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

describe("org delete", () => {
  test("asks for --yes, removes the organization alone, and knows which there are", async () => {
    await runHere(["org", "add", "acme"]);
    await runHere(["token", "add", "--org", "acme", "--agent", "box1", "--room", "lobby"]);

    const asked = await runHere(["org", "delete", "acme"]);
    const done = await runHere(["org", "delete", "acme", "--yes"]);
    const again = await runHere(["org", "delete", "acme", "--yes"]);
    const listed = await runHere(["org", "list", "--json"]);

    expect(asked).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
    expect(done).toMatchObject({ code: 0, out: "Organization acme is removed.\n" });
    expect(again.code).toBe(4);
    expect(JSON.parse(listed.out)).toMatchObject({ count: 1, organizations: [{ id: "main" }] });
  });
});
