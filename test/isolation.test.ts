import { expect, test } from "vitest";
import type { Need, Operation } from "../src/core/operation.ts";
import { operations } from "../src/operations.ts";
import type { Actor } from "../src/testkit/actor.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";
import { askAndSend, press } from "../src/testkit/questions.ts";

const CANARY = "canary-5e3f";

/** Fills organization `main` with texts that nobody outside may ever see. */
async function fill(hub: TestHub) {
  await hub.seatPeople();
  const boss = hub.as("boss");
  await boss.call("create_room", { name: "canary-room", description: `${CANARY} room` });
  await boss.call("set_room_info", { onboarding_notes: `${CANARY} notes` });
  await boss.call("create_token", { agent: "canary-agent", room: "canary-room", label: `${CANARY} label` });
  await hub.as("box1").call("post_message", { body: `${CANARY} message @box2` });
  await hub
    .as("box1")
    .call("create_task", { title: `${CANARY} title`, body: `${CANARY} body`, labels: ["canary-label"] });
  await hub.as("box1").call("claim_task", { task_id: 1 });
  await hub.as("box1").call("add_note", { task_id: 1, body: `${CANARY} note` });
  const content_base64 = Buffer.from(`${CANARY} bytes`).toString("base64");
  await hub.as("box1").call("put_file", { name: `${CANARY}.txt`, content_base64, mime: "text/canary" });
  await hub.as("ann").call("set_my_profile", { notes: `${CANARY} profile` });
  await askAndSend(hub, `${CANARY} draft`, { question: `${CANARY} question`, options: [`${CANARY} option`] });
  const { approval_id } = await askAndSend(hub, `${CANARY} answer`, { question: `${CANARY} answered` });
  await press(await hub.browser("ben"), approval_id);
}

/** Who of the other organization may call an operation: its administrators, an agent and a person. */
function foreigner(hub: TestHub, { needs }: Operation): Actor {
  return hub.as(PERSONAL.has(needs) ? "yuri" : "ruler");
}
const PERSONAL: ReadonlySet<Need> = new Set(["person_read", "person_write", "self", "browser", "mint", "invite"]);

onEachStore("another organization", (start) => {
  test("sees nothing of this one, whatever it calls (P8)", async () => {
    await using hub = await start();
    await fill(hub);
    const ruler = hub.as("ruler");
    const seen: string[] = [];

    for (const operation of operations) {
      const { name, example, kind } = operation;
      // Its example has a password of this organization: whoever gives it is one of its people.
      if (name === "delete_room" || name === "login") continue;
      const input = kind === "wait" ? { ...example, timeout_s: 1 } : example;
      seen.push(JSON.stringify(await foreigner(hub, operation).try(name, input)));
    }
    for (const path of [
      "/v1/whats_new",
      "/v1/tasks",
      "/v1/messages",
      "/v1/rooms",
      "/v1/files",
      "/v1/files/1",
      "/v1/admin/state",
      "/openapi.json",
      "/",
      "/readyz",
    ]) {
      seen.push(await (await ruler.fetch(path)).text());
    }

    expect(seen.length).toBeGreaterThan(operations.length);
    expect(seen.filter((answer) => answer.includes("canary"))).toEqual([]);
  });

  test("gets the same answer for an id of this one as for an id that does not exist", async () => {
    await using hub = await start();
    await fill(hub);
    const ruler = hub.as("ruler");
    const takesId = operations.flatMap((operation) => {
      const { name, input, example } = operation;
      const ids = ["task_id", "message_id", "file_id"];
      const field = ids.find((one) => one in example) ?? ids.find((one) => one in input.shape);
      return field === undefined ? [] : [{ operation, name, field, example, filters: !(field in example) }];
    });
    expect(takesId.length).toBeGreaterThan(14);

    for (const { operation, name, field, example, filters } of takesId) {
      const caller = foreigner(hub, operation);
      const theirs = await caller.try(name, { ...example, [field]: 1 });
      const nobodys = await caller.try(name, { ...example, [field]: 77 });
      expect(withoutIds(theirs), name).toEqual(withoutIds(nobodys));
      expect(theirs, name).toMatchObject(filters ? { value: { count: 0 } } : { status: 404 });
    }
    const rooms = [
      await ruler.try("read_messages", { room: "canary-room" }),
      await ruler.try("read_messages", { room: "no-such-room" }),
    ];
    expect(rooms[0]).toMatchObject({
      status: 403,
      code: "room_not_granted",
      error: { data: { rooms: ["lobby", "ops"] } },
    });
    expect(rooms[1]).toMatchObject({
      status: 403,
      code: "room_not_granted",
      error: { data: { rooms: ["lobby", "ops"] } },
    });
  });

  test("cannot name a member of this one", async () => {
    await using hub = await start();
    const ruler = hub.as("ruler");

    const posted = await ruler.call("post_message", { body: "@box1 @boss hello" });
    const assigned = await ruler.try("create_task", { title: "x", assignee: "box1" });

    expect(posted["mentioned"]).toEqual([]);
    expect(assigned).toMatchObject({ status: 404, code: "member_not_found" });
  });

  test("answers of many organizations at once are never mixed up", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "of main" });
    await hub.as("stranger").call("post_message", { body: "of other" });

    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const handle = index % 2 === 0 ? "box2" : "stranger";
        const response = await hub.as(handle).fetch("/mcp", {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "read_messages", arguments: {} },
          }),
        });
        return [handle, await response.text()] as const;
      }),
    );

    for (const [handle, text] of answers) {
      expect(text).toContain(handle === "box2" ? "of main" : "of other");
      expect(text).not.toContain(handle === "box2" ? "of other" : "of main");
    }
  });
});

function withoutIds(reply: unknown): string {
  return JSON.stringify(reply, (key, value: unknown) =>
    key === "trace" || key === "headers" ? undefined : value,
  ).replaceAll(/\b[mqf]?(1|77)\b/g, "n");
}
