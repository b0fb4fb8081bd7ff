import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runHere, runProcess } from "../testkit/command.ts";
import { startTestHub, type TestHub } from "../testkit/hub.ts";

/** A folder of one test. */
function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-files-"));
  return { at: (name: string) => join(folder, name), [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

async function run(hub: TestHub, handle: string, args: readonly string[]) {
  vi.stubEnv("CREWROOM_URL", hub.url);
  vi.stubEnv("CREWROOM_TOKEN", hub.token(handle));
  using _ = { [Symbol.dispose]: () => vi.unstubAllEnvs() };
  return runHere(["file", ...args]);
}

test("crewroom file puts, lists, gets and deletes a file", async () => {
  await using hub = await startTestHub("sqlite");
  using folder = makeFolder();
  const bytes = randomBytes(700_000);
  writeFileSync(folder.at("core.bin"), bytes);

  const put = await run(hub, "box1", ["put", folder.at("core.bin"), "--expires-in-hours", "2"]);
  const named = await run(hub, "box1", ["put", folder.at("core.bin"), "--name", "a\u202eb", "--room", "ops", "--json"]);
  const list = await run(hub, "box2", ["list"]);
  const got = await run(hub, "box2", ["get", "f1", folder.at("copy.bin")]);
  const asBox2 = { CREWROOM_URL: hub.url, CREWROOM_TOKEN: hub.token("box2") };
  const printed = await runProcess(["file", "get", "1", "-"], asBox2);
  const gone = await run(hub, "box1", ["delete", "1"]);
  const none = await run(hub, "box1", ["list"]);

  expect(put).toMatchObject({ code: 0, err: "" });
  expect(put.out).toMatch(/^File f1 is in room lobby: core\.bin \(700000 bytes\), until 2.*Z\.\n$/);
  expect(JSON.parse(named.out)).toMatchObject({ file_id: 1, room: "ops", name: "a\u202eb" });
  expect(named.out).not.toContain("\u202e");
  expect(list.out).toMatch(/^id +name +bytes .*\nf1 +core\.bin +700000 +box1 /);
  expect(got).toMatchObject({ code: 0, out: `File f1 is saved as ${folder.at("copy.bin")} (700000 bytes).\n` });
  expect(readFileSync(folder.at("copy.bin")).equals(bytes)).toBe(true);
  expect(printed).toMatchObject({ code: 0, err: "" });
  expect(printed.out.length).toBeGreaterThan(300_000);
  expect(gone).toMatchObject({ code: 0, out: "File f1 is deleted: core.bin.\n" });
  expect(none.out).toBe("There are no files.\n");
});

test("crewroom file says what is wrong, by its exit code too, and overwrites nothing", async () => {
  await using hub = await startTestHub("sqlite", { CREWROOM_MAX_FILE_BYTES: "1000" });
  using folder = makeFolder();
  writeFileSync(folder.at("small"), "small");
  writeFileSync(folder.at("large"), randomBytes(1_001));
  await run(hub, "box1", ["put", folder.at("small")]);

  const replies = [
    [await run(hub, "box1", ["put", folder.at("large")]), 6, "1000 bytes"],
    [await run(hub, "box1", ["put", folder.at("missing")]), 2, "cannot be read"],
    [await run(hub, "box1", ["put", folder.at("small"), "--name", "a/b"]), 2, "without a path"],
    [await run(hub, "watcher", ["put", folder.at("small")]), 4, "needs"],
    [await run(hub, "box2", ["get", "77", folder.at("x")]), 4, "no file f77"],
    [await run(hub, "box2", ["get", "1", folder.at("large")]), 2, "EEXIST"],
    [await run(hub, "box2", ["get", "one", folder.at("x")]), 2, "a file's number"],
    [await run(hub, "box2", ["delete", "1"]), 4, "another member's"],
  ] as const;

  for (const [{ code, err }, exit, words] of replies) {
    expect(err).toContain(words);
    expect(code, words).toBe(exit);
  }
  expect(readFileSync(folder.at("large"))).toHaveLength(1_001);
  expect(existsSync(folder.at("x"))).toBe(false);
});

test("crewroom file get leaves nothing of a file that is damaged", async () => {
  await using hub = await startTestHub("sqlite");
  using folder = makeFolder();
  writeFileSync(folder.at("large"), randomBytes(600_000));
  await run(hub, "box1", ["put", folder.at("large")]);
  await hub.hub.store.write("main", (tx) =>
    tx.run({ texts: ["update file_parts set bytes = ", " where part = 2"], values: [randomBytes(75_712)] }),
  );

  const got = await run(hub, "box2", ["get", "1", folder.at("copy")]);

  expect(got).toMatchObject({ code: 2, out: "" });
  expect(existsSync(folder.at("copy"))).toBe(false);
});
