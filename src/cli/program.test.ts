import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startTestHub } from "../testkit/hub.ts";
import { runHere } from "../testkit/command.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "crewroom-cli-"));
  vi.stubEnv("CREWROOM_DB", join(folder, "crewroom.db"));
  vi.stubEnv("DATABASE_URL", "");
  vi.stubEnv("PORT", "0");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command that must go well and gives its answer. */
async function answer(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await runHere([...args, "--json"]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as Record<string, unknown>; // --json prints one object
}

describe("commands on the database", () => {
  test("refuse to make a database by the way, say how to make one, and then work", async () => {
    const without = await runHere(["token", "list"]);
    const made = await runHere(["init"]);
    const again = await runHere(["init"]);
    const listed = await runHere(["token", "list"]);

    expect(without).toMatchObject({ code: 2, out: "", err: expect.stringContaining("crewroom init") });
    expect(made.out).toContain("organization main is made");
    expect(again.out).toContain("organization main was there already");
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining("There are no tokens") });
  });

  test("token add shows the token once, with what to paste", async () => {
    await answer("init");

    const { code, out } = await runHere(["token", "add", "--agent", "box1", "--room", "ops", "--expires", "90d"]);
    const listed = await runHere(["token", "list"]);

    const [token = ""] = /crw_agt_\w{36}/.exec(out) ?? [];
    expect(code).toBe(0);
    expect(out.split(token)).toHaveLength(8); // by itself, twice to connect, for the server, twice for the plugin, in the file
    expect(out).toContain(
      `"headers":{"Authorization":"Bearer ${token}"}}' | claude mcp add-json --scope user crewroom -`,
    );
    expect(listed.out).toMatch(/box1 +ops +write +live/);
    expect(listed.out).not.toContain(token);
  });

  test("rooms are made, listed, described and removed, and each act is in the log", async () => {
    await answer("init");
    await answer("room", "add", "forge", "--description", "hot");
    const twice = await runHere(["room", "add", "forge"]);
    const described = await answer("room", "info", "forge", "--repo-url", "https://example.org/x");
    const unsure = await runHere(["room", "delete", "forge"]);
    const removed = await answer("room", "delete", "forge", "--yes");
    const missing = await runHere(["room", "delete", "forge", "--yes"]);
    const rooms = await answer("room", "list");
    const organizations = await answer("org", "list");

    expect([twice.code, unsure.code, missing.code]).toEqual([5, 2, 4]);
    expect(described).toMatchObject({ description: "hot", repo_url: "https://example.org/x", info_set_by: "operator" });
    expect(removed).toMatchObject({ deleted_room: "forge" });
    expect(rooms).toMatchObject({ count: 1, rooms: [{ name: "lobby" }] });
    // Made with its room: 2; forge made, described and removed: 3.
    expect(organizations).toMatchObject({ organizations: [{ id: "main", head: 5 }] });
  });

  test("token revoke and purge do what they say, and purge asks first", async () => {
    await answer("init");
    const { id } = await answer("token", "add", "--agent", "box1", "--room", "lobby");

    const both = await runHere(["token", "revoke", "--id", String(id), "--agent", "box1"]);
    const revoked = await answer("token", "revoke", "--id", String(id));
    const unknown = await runHere(["token", "revoke", "--id", "nope"]);
    const unsure = await runHere(["token", "purge", "--older-than-days", "0"]);
    const typo = await runHere(["token", "purge", "--older-than-days", "l0", "--yes"]);
    const purged = await answer("token", "purge", "--older-than-days", "0", "--yes");

    expect([both.code, unknown.code, unsure.code, typo.code]).toEqual([2, 4, 2, 2]);
    expect(revoked).toMatchObject({ revoked: 1, token_ids: [id] });
    expect(purged).toMatchObject({ removed: 1, live_tokens: 0 });
  });

  test("organizations are apart", async () => {
    await answer("init");
    await answer("org", "add", "acme", "--name", "Acme");
    await answer("token", "add", "--org", "acme", "--agent", "box1", "--room", "lobby");

    const taken = await runHere(["org", "add", "acme"]);
    const wrong = await runHere(["org", "add", "Acme Inc"]);
    const unknown = await runHere(["token", "list", "--org", "nope"]);
    const here = await answer("token", "list");
    const there = await answer("token", "list", "--org", "acme");

    expect([taken.code, wrong.code, unknown.code]).toEqual([5, 2, 4]);
    expect([here["count"], there["count"]]).toEqual([0, 1]);
  });

  test("settings says what holds and where from, and covers secrets", async () => {
    vi.stubEnv("CREWROOM_LEASE_MINUTES", "17");
    vi.stubEnv("DATABASE_URL", "postgres://me:hunter2@db.example/x");

    const { code, out } = await runHere(["settings"]);

    expect(code).toBe(0);
    expect(out).toMatch(/CREWROOM_LEASE_MINUTES +17 +environment/);
    expect(out).toMatch(/CREWROOM_MAX_WAIT_SECONDS +45 +default/);
    expect(out).toMatch(/DATABASE_URL +\(set\) +environment/);
    expect(out).not.toContain("hunter2");
  });

  test("doctor says what is in the way, and changes nothing", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { port: number }; // it listens on an address
    const before = await runHere(["doctor"]);
    await answer("init");
    chmodSync(join(folder, "crewroom.db"), 0o644);
    vi.stubEnv("PORT", String(port));
    vi.stubEnv("CREWROOM_LEASE_MINUTE", "5");
    const after = await runHere(["doctor"]);
    taken.close();

    expect(before).toMatchObject({ code: 0, out: expect.stringContaining("will be made at the first start") });
    expect(after.code).toBe(2);
    expect(after.out).toContain("another program has it");
    expect(after.out).toContain("CREWROOM_LEASE_MINUTE is set, but there is no such setting");
    expect(after.out).toContain("mode 644");
  });

  test("a file that is no database is told in one sentence", async () => {
    writeFileSync(join(folder, "crewroom.db"), "not a database, but long enough to be looked at as one".repeat(100));

    const { code, err } = await runHere(["token", "list"]);

    expect(code).toBe(2);
    expect(err).toMatch(/^The database .+ cannot be opened: .+\.\n$/);
  });
});

test("no command takes a token as an argument, and every one knows --json", async () => {
  const commands = [
    "serve",
    "init",
    "migrate",
    "doctor",
    "settings",
    "tail",
    "room list",
    "token add",
    "org list",
    "call whoami",
  ];

  for (const command of commands.filter((one) => one !== "call whoami")) {
    const { code, out } = await runHere([...command.split(" "), "--help"]);
    expect([command, code]).toEqual([command, 0]);
    expect(out).toContain("--json");
    expect(out).not.toMatch(/--token\b(?!-file)/);
  }
});

test("wrong use ends with 2 and names what is wrong", async () => {
  const runs = [
    [],
    ["nope"],
    ["token", "add", "--agent", "x"],
    ["token", "add", "--agent", "admin", "--room", "lobby"],
  ];
  await answer("init");

  const ends = await Promise.all(runs.map((args) => runHere(args)));

  expect(ends.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(ends[3]?.err).toContain("agent: is a reserved handle");
});

describe("call", () => {
  test("ends as the hub's answer says", async () => {
    await using hub = await startTestHub("sqlite");
    vi.stubEnv("CREWROOM_URL", hub.url);
    const as = (handle: string) => vi.stubEnv("CREWROOM_TOKEN", hub.token(handle));

    as("box1");
    const made = await runHere(["call", "create_task", "--title", "one", "--labels", "a", "b", "--claim"]);
    as("box2");
    const lost = await runHere(["call", "claim-task", "--task-id", "1"]);
    const missing = await runHere(["call", "claim_task", "--task-id", "7"]);
    const wrong = await runHere(["call", "claim_task", "--task-id", "x"]);
    const noField = await runHere(["call", "claim_task", "--nope", "1"]);
    const noOperation = await runHere(["call", "nope"]);
    const forbidden = await runHere(["call", "list_tokens"]);
    const elsewhere = await runHere(["call", "list_tasks", "--room", "ops"]);
    vi.stubEnv("CREWROOM_TOKEN", "");
    const signedOut = await runHere(["call", "list_tasks"]);
    vi.stubEnv("CREWROOM_URL", "http://127.0.0.1:1");
    const away = await runHere(["call", "list_tasks"]);

    expect(made.code).toBe(0);
    expect(JSON.parse(made.out)).toMatchObject({ created: { id: 1, labels: ["a", "b"], assignee: "box1" } });
    expect(lost.code).toBe(5);
    expect(JSON.parse(lost.out)).toMatchObject({ claimed: false, task: { assignee: "box1" } });
    expect([missing, wrong, noField, noOperation].map(({ code }) => code)).toEqual([4, 2, 2, 2]);
    expect([forbidden, elsewhere, signedOut, away].map(({ code }) => code)).toEqual([4, 4, 3, 7]);
    expect([missing, forbidden, signedOut, away].map(({ out }) => out)).toEqual(["", "", "", ""]);
  });

  test("says with a refusal how the operation that it names is called from here, once", async () => {
    await using hub = await startTestHub("sqlite");
    vi.stubEnv("CREWROOM_URL", hub.url);
    vi.stubEnv("CREWROOM_TOKEN", hub.token("box1"));

    const plain = await runHere(["call", "get_task", "--task-id", "7"]);
    await runHere(["call", "create_task", "--title", "one"]);
    const stale = await runHere(["call", "release_task", "--task-id", "1", "--claim-number", "9"]);
    const none = await runHere(["call", "create_task", "--title", ""]);

    expect(plain.err).toMatch(/ See list_tasks \(crewroom call list_tasks\)\. Trace \S+\n$/);
    expect(stale.err).toContain("Read it with get_task (crewroom call get_task); claim it again");
    expect(none.err).not.toContain("crewroom call");
  });

  test("names the address that nothing answered at, and how to name another", async () => {
    vi.stubEnv("CREWROOM_URL", "http://127.0.0.1:1");
    const usual = await runHere(["call", "list_tasks"]);
    const asJson = await runHere(["call", "list_tasks", "--json", "{}"]);

    expect(usual).toMatchObject({ code: 7, out: "" });
    expect(usual.err).toMatch(/^No Crewroom can be reached at http:\/\/127\.0\.0\.1:1: .+ CREWROOM_URL or --url\.\n$/);
    expect(JSON.parse(asJson.err)).toMatchObject({ error: { next: expect.stringContaining("CREWROOM_URL") } });
  });

  test("takes every field by its name as by its option, whatever its kind", async () => {
    await using hub = await startTestHub("sqlite");
    vi.stubEnv("CREWROOM_URL", hub.url);
    vi.stubEnv("CREWROOM_TOKEN", hub.token("box1"));
    const make = (...fields: string[]) => runHere(["call", "create_task", "--title", "--task_id", ...fields]);

    const plain = await runHere(["call", "create_task", "--title", "first"]);
    const ends = [await make("--depends-on", "1", "--claim"), await make("--depends_on", "1", "1", "--claim")];
    const read = await runHere(["call", "get_task", "--task_id=1"]);
    const flag = await runHere(["call", "claim_task", "--task_id", "1", "--take_over"]);
    const help = await runHere(["call", "get_task", "--help"]);

    expect([plain, read].map(({ code }) => code)).toEqual([0, 0]);
    for (const { err } of ends) expect(err).toContain("waits for #1");
    expect(JSON.parse(read.out)).toMatchObject({ task: { id: 1 } });
    expect(JSON.parse(flag.out)).toMatchObject({ claimed: true });
    expect(help.out).not.toContain("--task_id");
  });

  test("takes the token from a file, and the input as JSON", async () => {
    await using hub = await startTestHub("sqlite");
    const file = join(folder, "token");
    writeFileSync(file, `${hub.token("box1")}\n`, { mode: 0o600 });
    vi.stubEnv("CREWROOM_URL", hub.url);
    vi.stubEnv("CREWROOM_TOKEN", "");

    const posted = await runHere(["call", "post_message", "--token-file", file, "--json", '{"body":"hi"}']);
    chmodSync(file, 0o644);
    const open = await runHere(["call", "read_messages", "--token-file", file]);
    const notJson = await runHere(["call", "post_message", "--token-file", file, "--json", "hi"]);
    const noFile = await runHere(["call", "read_messages", "--token-file", join(folder, "nope")]);

    expect(posted).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(open.out)).toMatchObject({ messages: [{ body: "hi", author: "box1" }] });
    expect(open.err).toContain("chmod 600");
    expect([notJson.code, noFile.code]).toEqual([2, 2]);
  });

  test("a failure with --json is one object on the error output", async () => {
    await using hub = await startTestHub("sqlite");
    vi.stubEnv("CREWROOM_URL", hub.url);
    vi.stubEnv("CREWROOM_TOKEN", hub.token("box1"));

    const { out, err } = await runHere(["call", "claim_task", "--json", '{"task_id":7}']);

    expect(out).toBe("");
    expect(JSON.parse(err)).toMatchObject({ error: { code: "task_not_found", exit: 4, data: { task: 7 } } });
  });

  test("help lists every operation, and an operation's help its fields", async () => {
    const all = await runHere(["call", "--help"]);
    const one = await runHere(["call", "create_task", "--help"]);

    expect(all.out).toContain("claim_task");
    expect(one.out).toContain("--depends-on <values...>");
    expect(one.out).toContain("--claim [true|false]");
    expect(one.out).toContain("(required)");
  });
});
