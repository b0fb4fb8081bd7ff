import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPostgres } from "../../test/postgres.mjs";
import { makeActor, type Value } from "../testkit/actor.ts";
import { type Environment, runProcess, serveProcess, type ServerProcess } from "../testkit/command.ts";
import { TESTED_STORES } from "../testkit/databases.ts";
import { followStream } from "../testkit/stream.ts";

/** A database for one server. On Postgres the command line wants settings that lose nothing, which the tests' own lacks. */
async function makeDatabase(kind: string): Promise<{ environment: Environment; remove: () => Promise<void> }> {
  if (kind === "sqlite") {
    const folder = mkdtempSync(join(tmpdir(), "crewroom-cli-"));
    const remove = async () => rmSync(folder, { recursive: true, force: true });
    return { environment: { CREWROOM_DB: join(folder, "new/crewroom.db") }, remove };
  }
  const postgres = await startPostgres({ durable: true });
  const name = `cli_${randomBytes(4).toString("hex")}`;
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return {
    environment: { DATABASE_URL: url.href, CREWROOM_SECRET_KEY: "the same on every node, long enough" },
    remove: () => postgres.stop(),
  };
}

describe.each(TESTED_STORES)("the command line beside a server on %s", (kind) => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let server: ServerProcess;
  beforeAll(async () => {
    database = await makeDatabase(kind);
    server = await serveProcess(database.environment);
  });
  afterAll(async () => {
    const ended = await server?.stop();
    await database?.remove();
    expect(ended).toBe(0);
  });

  async function run(...args: string[]): Promise<Value> {
    const { code, out, err } = await runProcess([...args, "--json"], database.environment);
    expect([code, err]).toEqual([0, ""]);
    return JSON.parse(out) as Value; // one object, by --json
  }

  test("mints a token for a room it makes, with the address that the server really has", async () => {
    const made = await run("token", "add", "--agent", "box1", "--room", "forge", "--also-room", "lobby");

    const seen = await makeActor(server.url, "box1", made["token"]).call("list_rooms");
    expect(seen).toMatchObject({ you_are: "box1", default_room: "forge", count: 2 });
    expect(made["setup"]["lan"]["claude_cli"]).toContain(`"url":"${server.url}/mcp"`);
    expect(made["setup"]["public"]).toBeNull();
  });

  test("wakes those who follow a room, and its acts are in the log under the operator's name", async () => {
    const { token } = await run("token", "add", "--agent", "reader", "--room", "lobby");
    await using stream = await followStream({ url: server.url, token: () => token }, "reader", "?after=now");

    await run("room", "info", "lobby", "--description", "where it begins");
    const written = performance.now();
    const frame = await stream.next("activity");

    expect(performance.now() - written).toBeLessThan(2_000);
    expect(frame.data).toMatchObject({ kind: "room_info_updated", actor: "operator" });
  });

  test("revokes a token: calls and open streams end within two seconds", async () => {
    const { token, id } = await run("token", "add", "--agent", "goner", "--room", "lobby");
    const goner = makeActor(server.url, "goner", token);
    await using stream = await followStream({ url: server.url, token: () => token }, "goner", "?after=now");
    await goner.call("list_rooms");

    await run("token", "revoke", "--id", id);
    const revokedAt = performance.now();
    while ((await goner.try("list_rooms")).ok && performance.now() - revokedAt < 5_000) continue;
    const refusedAfter = performance.now() - revokedAt;
    await stream.ended();

    expect(refusedAfter).toBeLessThan(2_000);
    expect(performance.now() - revokedAt).toBeLessThan(2_000);
  });
});
