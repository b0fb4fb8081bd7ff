import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Operator } from "../operator.ts";
import { operatorCaller } from "../../access/operator.ts";
import { execute } from "../../core/execute.ts";
import { TESTED_STORES } from "../../testkit/databases.ts";
import { onEachStore, startTestHub, type TestHub } from "../../testkit/hub.ts";
import { liveALittle } from "../../testkit/lively.ts";
import { runProcess } from "../../testkit/command.ts";
import { writeJson } from "./json.ts";
import { fenced, inline, writeMarkdown } from "./markdown.ts";
import { openExport } from "./read.ts";

const AT = "2026-12-01T00:00:00.000Z";

onEachStore("an export", (start) => {
  test("as JSON has every member, room, message, task with its notes, file and shared answer as REST gives them", async () => {
    await using hub = await start();
    await liveALittle(hub);
    for (let number = 0; number < 450; number++)
      await hub.as("box3").call("post_message", { body: `long ${"x".repeat(300)} ${number}` });
    for (let note = 0; note < 210; note++)
      await hub.as("box2").call("add_note", { task_id: 1, body: `note ${note} ${"y".repeat(400)}` });

    const told = JSON.parse(await textOf(hub, "json")) as Record<string, Record<string, unknown>[]>; // as written above

    const [lobby] = told["rooms"] ?? [];
    const messages = lobby?.["messages"] as { id: number; body: string; author: string }[];
    const tasks = lobby?.["tasks"] as { id: number; title: string; notes: unknown[] }[];
    expect(told["organization"]).toMatchObject({ id: "main" });
    expect(told["members"]?.map((member) => member["user_id"])).toEqual(
      expect.arrayContaining(["ann", "annbot", "box1"]),
    );
    expect(told["rooms"]?.map((room) => room["name"])).toEqual(["lobby", "ops"]);
    expect(messages.map(({ id }) => id)).toEqual(Array.from({ length: 453 }, (_, at) => at + 1));
    expect(messages[0]).toMatchObject({ author: "box1", body: expect.stringContaining("漢字 \u{1f680}\n\ttabs") });
    expect(messages[2]).toMatchObject({ body: "", retracted: { by: "box2" } });
    expect(tasks.map(({ id, notes }) => [id, notes.length])).toEqual([
      [1, 211],
      [2, 0],
    ]);
    expect(lobby?.["files"]).toMatchObject([{ id: 1, name: "pump.log", size: 15 }]);
    // What two people said to each other stays with them.
    expect(told["answers"]).toEqual([]);
    expect(JSON.stringify(told)).not.toContain("How many retries");
  });

  test("as markdown shows the same, with no sign of others' that means anything", async () => {
    await using hub = await start();
    await liveALittle(hub);
    const evil =
      "# Not a heading\n````\n![x](http://evil.example/x.png)\n<script>alert(1)</script> \u202e[click](http://evil.example)";
    await hub.as("box1").call("post_message", { body: evil });
    await hub.as("box1").call("create_task", { title: "![t](http://evil.example/t.png) <b>", labels: ["*loud*"] });

    const text = await textOf(hub, "md");

    const outside = outsideOfFences(text);
    expect(text).toContain("\n## Room lobby\n");
    expect(text).toMatch(/\*\*m2\*\* · box2 · .*Z · answers m1\n\n```text\nThanks\.\n```\n/);
    expect(text).toMatch(/_Taken back by box2 at .*Z\._/);
    expect(text).toContain("#### #1 Mend the pump\n\nin_progress · held by box2 · priority 1 · by box1 at ");
    expect(text).toContain("# Not a heading\n````");
    expect(text).not.toContain("\u202e");
    expect(outside).not.toMatch(/evil\.example\/x|Not a heading|<script|(?<!\\)!\[|(?<!\\)<b/);
    expect(outside).toContain(String.raw`\!\[t\]\(http\:\/\/evil\.example\/t\.png\) \<b\>`);
  });

  test("of one room has that room alone", async () => {
    await using hub = await start();
    await liveALittle(hub);
    await hub.as("opsbox").call("post_message", { body: "in ops" });

    const told = JSON.parse(await textOf(hub, "json", "ops")) as Record<string, Record<string, unknown>[]>; // as written above

    expect(Object.keys(told)).toEqual(["exported_at", "organization", "rooms"]);
    expect(told["rooms"]).toMatchObject([{ name: "ops", messages: [{ body: "in ops" }], tasks: [], files: [] }]);
  });
});

// On Postgres the command wants a server that loses nothing; what it does with the answers is the same.
test.each(TESTED_STORES.filter((kind) => kind === "sqlite"))(
  "crewroom export on %s writes a file for its owner alone, or to standard output",
  async (kind) => {
    await using hub = await startTestHub(kind);
    await liveALittle(hub);
    const folder = mkdtempSync(join(tmpdir(), "crewroom-export-"));
    const out = join(folder, "lobby.md");

    const file = await runProcess(["export", "--format", "md", "--room", "lobby", "--out", out], hub.database);
    const stdout = await runProcess(["export", "--format", "json"], hub.database);
    const nowhere = await runProcess(["export", "--format", "json", "--room", "attic"], hub.database);

    expect([file.code, file.err, file.out]).toEqual([0, "", `Room lobby is exported to ${out}.\n`]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readFileSync(out, "utf8")).toContain("Thanks.");
    expect([stdout.code, JSON.parse(stdout.out)]).toMatchObject([0, { organization: { id: "main" } }]);
    expect([nowhere.code, nowhere.out]).toEqual([4, expect.not.stringContaining("]}")]);
    rmSync(folder, { recursive: true });
  },
);

test("no text closes its fence, and none on one line means anything in markdown", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("`", "\n", "a", "~", " ", "#", "_") }), (text) => {
      const lines = fenced(text).trimEnd().split("\n");
      const [opening = ""] = lines;
      const fence = opening.slice(0, -"text".length);
      expect(lines.slice(1, -1).filter((line) => line.trim().startsWith(fence))).toEqual([]);
      expect(lines.at(-1)).toBe(fence);
      expect(inline(text)).not.toMatch(/(?<!\\)[`#_~]|\n/);
    }),
  );
});

async function textOf({ hub }: TestHub, format: "md" | "json", room?: string): Promise<string> {
  const caller = () => operatorCaller(hub.store, "main");
  const call = async (operation: never, input: object, named?: string) =>
    (await execute(hub.core, operation, { caller: await caller(), input: { ...input, ...(named && { room: named }) } }))
      .value;
  // What a command's operator does, on the hub of the test.
  const operator = { store: hub.store, call } as unknown as Operator;
  const exported = await openExport(operator, "main", room);
  const write = format === "md" ? writeMarkdown : writeJson;
  let text = "";
  for await (const part of write(exported, AT, room === undefined)) text += part;
  return text;
}

function outsideOfFences(text: string): string {
  return text.replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "");
}
