import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { saveVerifiedBackup } from "../../features/backup/queries.ts";
import { openStoreAt } from "../../testkit/store.ts";
import { makeDatabase, TESTED_STORES } from "../../testkit/databases.ts";
import { runHere } from "../../testkit/command.ts";
import { startTestHub } from "../../testkit/hub.ts";
import type { Finding } from "./finding.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "crewroom-doctor-"));
  vi.stubEnv("DATABASE_URL", "");
  vi.stubEnv("CREWROOM_DB", join(folder, "crewroom.db"));
  vi.stubEnv("PORT", "0");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function examine(): Promise<{ code: number | null; ok: boolean; findings: Finding[] }> {
  const { code, out } = await runHere(["doctor", "--json"]);
  return { code, ...(JSON.parse(out) as { ok: boolean; findings: Finding[] }) }; // one object, by --json
}
const about = (findings: readonly Finding[], what: string) => findings.filter((finding) => finding.about === what);

test("doctor looks at everything, finds nothing wrong in a fresh folder, and makes nothing there", async () => {
  const { code, ok, findings } = await examine();

  expect([code, ok]).toEqual([0, true]);
  expect(findings.map(({ about: what }) => what)).toEqual(["program", "settings", "key", "database", "disk", "port"]);
  expect(about(findings, "disk")[0]?.says).toMatch(/^\d+(\.\d)? (GiB|MiB) free at /);
  expect(statSync(folder).nlink).toBe(2);
});

test("whatever is not well has a next step", async () => {
  writeFileSync(join(folder, "crewroom.db"), "not a database, but long enough to be looked at as one".repeat(100));
  writeFileSync(join(folder, "crewroom.key"), "x".repeat(44), { mode: 0o644 });
  vi.stubEnv("CREWROOM_HOST", "127.0.0.2");
  vi.stubEnv("CREWROOM_LEASE_MINUTE", "5");
  const wide = await examine();
  vi.stubEnv("CREWROOM_HOST", "127.0.0.1");
  vi.stubEnv("CREWROOM_PUBLIC_URL", "http://crew.example");
  vi.stubEnv("CREWROOM_TRUSTED_PROXIES", "0.0.0.0/0");
  vi.stubEnv("CREWROOM_DB", join(folder, "crewroom.key", "no", "folder.db"));
  const outside = await examine();

  const levels = (findings: readonly Finding[]) => findings.map((finding) => `${finding.level} ${finding.about}`);
  expect([wide.code, outside.code]).toEqual([2, 2]);
  expect(levels(wide.findings)).toEqual(
    expect.arrayContaining(["warn settings", "warn key", "fail database", "ok disk", "ok port"]),
  );
  expect(about(wide.findings, "database")[0]).toMatchObject({
    next: expect.stringContaining("restore <backup> --yes"),
  });
  expect(levels(outside.findings)).toEqual(expect.arrayContaining(["warn settings", "warn proxy", "fail database"]));
  for (const { level, next } of [...wide.findings, ...outside.findings])
    expect(next !== undefined).toBe(level !== "ok");
});

test("the public address is followed while a server runs", async () => {
  await using hub = await startTestHub("sqlite");
  const stranger = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const { port } = stranger.address() as { port: number }; // it listens on an address
  vi.stubEnv("PORT", String(hub.hub.port));

  vi.stubEnv("CREWROOM_PUBLIC_URL", hub.url);
  const here = await examine();
  vi.stubEnv("CREWROOM_PUBLIC_URL", `http://127.0.0.1:${port}`);
  const elsewhere = await examine();
  stranger.close();

  expect(about(here.findings, "proxy")).toEqual([
    { level: "ok", about: "proxy", says: `a Crewroom answers at ${hub.url}` },
  ]);
  expect(about(elsewhere.findings, "proxy")[0]).toMatchObject({
    level: "warn",
    says: expect.stringContaining("it answers 200, and not as a Crewroom"),
    next: expect.stringContaining(hub.url),
  });
});

test.each(TESTED_STORES)("on %s the last backup that was read back is told with its age", async (kind) => {
  const database = await makeDatabase(kind);
  for (const [name, value] of Object.entries(database.settings)) vi.stubEnv(name, value);
  vi.stubEnv("CREWROOM_SECRET_KEY", "a secret of the tests, which is long enough");
  await using made = await openStoreAt(kind, database.settings);
  const keep = (daysAgo: number) =>
    made.store.write("main", (tx) =>
      saveVerifiedBackup(tx, { made_at: tx.now - daysAgo * 86_400_000, rows: 1, sha256: "" }),
    );

  const never = about((await examine()).findings, "backup");
  await keep(9);
  const old = about((await examine()).findings, "backup");
  await keep(1);
  await keep(5);
  const fresh = about((await examine()).findings, "backup");
  await database.remove();

  expect(never).toMatchObject([{ level: "warn", says: "no backup of this database was ever read back" }]);
  expect(old).toMatchObject([
    {
      level: "warn",
      says: expect.stringMatching(/9 days ago$/),
      next: expect.stringContaining("backup <file> --verify"),
    },
  ]);
  expect(fresh).toMatchObject([{ level: "ok" }]);
});
