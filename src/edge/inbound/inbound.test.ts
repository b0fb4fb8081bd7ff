import { createHmac } from "node:crypto";
import { expect, it, vi } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

interface Hook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

async function hookInto(hub: TestHub, more: Value = {}): Promise<Hook> {
  const input = { direction: "in", room: "lobby", author: "backups", ...more };
  const { hook, secret } = await hub.as("boss").call("create_hook", input);
  return { id: hook.id, url: hook.url, secret };
}

async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Value> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: answer.status, ...((await answer.json()) as Value) }; // every answer here is an object
}

const send = ({ url, secret }: Hook, sent: Value, headers: Readonly<Record<string, string>> = {}) =>
  post(url, JSON.stringify(sent), { authorization: `Bearer ${secret}`, ...headers });

function pullRequest(text: string, more: Value = {}): string {
  const pull_request = {
    merged: true,
    html_url: "https://github.com/acme/app/pull/7",
    title: text,
    body: null,
    ...more,
  };
  return JSON.stringify({ action: "closed", pull_request, repository: { full_name: "acme/app" } });
}

const sendFromGitHub = ({ url, secret }: Hook, body: string, event = "pull_request") =>
  post(url, body, {
    "x-github-event": event,
    "x-github-delivery": "5f1c",
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  });

/** On a busy machine a connection takes its time; and a hook may be called sixty times a minute. */
const SOON = { timeout: 12_000, interval: 500 };

onEachStore("an inbound webhook", (start) => {
  it("posts a message and opens a task, as a member of its own kind", async () => {
    await using hub = await start();
    const hook = await hookInto(hub);

    const posted = await send(hook, { action: "message", title: "Backup", body: "done, @box1" });
    const opened = await send(hook, { action: "task", title: "Backup failed", body: "No space is left." });

    expect(posted).toEqual({ status: 200, ok: true, room: "lobby", message_id: 1 });
    expect(opened).toEqual({ status: 200, ok: true, room: "lobby", task_id: 1 });
    const { messages } = await hub.as("box1").call("read_messages");
    expect(messages).toMatchObject([{ author: "backups", author_kind: "webhook", body: "Backup\n\ndone, @box1" }]);
    const { task } = await hub.as("box1").call("get_task", { task_id: 1 });
    expect(task).toMatchObject({ title: "Backup failed", body: "No space is left.", created_by: "backups" });
    const { agents } = await hub.as("box1").call("list_agents");
    expect((agents as Value[]).map(({ agent }) => agent)).not.toContain("backups");
    const { members } = await hub.as("boss").call("list_members");
    expect((members as Value[]).find(({ user_id }) => user_id === "backups")).toMatchObject({ kind: "webhook" });
  });

  it("acts once for a delivery that comes again, by the body or by the header that names it", async () => {
    await using hub = await start();
    const hook = await hookInto(hub);
    const task = { action: "task", title: "Backup failed" };

    const answers = await Promise.all(Array.from({ length: 8 }, () => send(hook, { ...task, id: "run 7 – ü" })));
    const named = [
      await send(hook, { action: "message", body: "x" }, { "webhook-id": "msg_1" }),
      await send(hook, { action: "message", body: "x" }, { "webhook-id": "msg_1" }),
    ];

    expect(answers).toEqual(answers.map(() => ({ status: 200, ok: true, room: "lobby", task_id: 1 })));
    expect(named.map(({ message_id }) => Number(message_id))).toEqual([1, 1]);
    expect((await hub.as("box1").call("list_tasks"))["count"]).toBe(1);
  });

  it("takes its own token at its own address alone, and no other there", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    const hook = await hookInto(hub);
    const other = await hookInto(hub, { author: "deploys" });
    const sent = { action: "message", body: "x" };

    const refused = [
      await send({ ...hook, secret: other.secret }, sent),
      await send({ ...hook, secret: hub.token("boss") }, sent),
      await send({ ...hook, secret: "nonsense" }, sent),
      await send({ ...hook, url: `${hub.url}/v1/inbound/nobodys` }, sent),
      await post(hook.url, JSON.stringify(sent), {}),
      await post(`${hub.url}/api/post_message`, '{"body":"x"}', { authorization: `Bearer ${hook.secret}` }),
      await post(`${hub.url}/v1/whats_new`, "{}", { authorization: `Bearer ${hook.secret}` }),
    ];
    await hub.as("boss").call("delete_hook", { hook_id: hook.id });
    const afterwards = await send(hook, sent);

    expect(refused.map((one) => one["status"])).toEqual(refused.map(() => 401));
    expect(afterwards.status).toBe(401);
    expect((await hub.as("box1").call("read_messages"))["messages"]).toEqual([]);
  });

  it("slows down who guesses, and one that calls too often, not the others", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "3" });
    const hook = await hookInto(hub);
    const other = await hookInto(hub, { author: "deploys" });

    const guesses = [];
    for (let guess = 0; guess < 4; guess++)
      guesses.push((await send({ ...hook, secret: other.secret }, { action: "message", body: "x" })).status);
    const statuses = [];
    for (let call = 0; call < 61; call++) statuses.push((await send(hook, { action: "nonsense" })).status);

    expect(guesses).toEqual([401, 401, 429, 429]);
    expect(statuses.slice(0, 60)).toEqual(statuses.slice(0, 60).map(() => 400));
    expect(statuses[60]).toBe(429);
    expect(await send(other, { action: "message", body: "x" })).toMatchObject({ status: 200 });
  });

  it("refuses what is none of its forms, and does nothing then", async () => {
    await using hub = await start();
    const hook = await hookInto(hub);
    const before = await hub.state();

    const refused = [
      await send(hook, {}),
      await send(hook, { action: "delete" }),
      await send(hook, { action: "task", body: "without a title" }),
      await send(hook, { action: "message" }),
      await send(hook, { action: "message", body: "x", room: "ops" }),
      await send(hook, { action: "message", body: 7 }),
      await post(hook.url, "not json", { authorization: `Bearer ${hook.secret}` }),
      await post(`${hook.url}?room=ops`, "{}", { authorization: `Bearer ${hook.secret}` }),
    ];
    const large = await send(hook, { action: "message", body: "x".repeat(300_000) });

    expect(refused.map((one) => one["status"])).toEqual(refused.map(() => 400));
    expect(large.status).toBe(413);
    expect(await hub.state()).toBe(before);
  });

  it("links a merged pull request to the tasks it names, held or not, and finishes them where so set", async () => {
    await using hub = await start();
    const linking = await hookInto(hub, { form: "github", author: "github" });
    const finishing = await hookInto(hub, { form: "github", author: "github-done", finish: true });
    for (const title of ["one", "two", "reviewed", "waits"]) await hub.as("box1").call("create_task", { title });
    await hub.as("box2").call("claim_task", { task_id: 1 });
    await hub.as("box1").call("update_task", { task_id: 3, reviewer: "box3" });
    await hub.as("box1").call("update_task", { task_id: 4, depends_on: [2] });

    const linked = await sendFromGitHub(linking, pullRequest("Fix it (crewroom#1)", { body: "Not #2. Crewroom: #77" }));
    const waits = await sendFromGitHub(finishing, pullRequest("Crewroom #4"));
    const finished = await sendFromGitHub(finishing, pullRequest("crewroom #1, crewroom#2 and Crewroom: #3"));
    const again = await sendFromGitHub(finishing, pullRequest("crewroom #1, crewroom#2 and Crewroom: #3"));

    expect(linked).toEqual({
      status: 200,
      ok: true,
      tasks: [
        { task_id: 1, linked: true, status: "in_progress" },
        { task_id: 77, linked: false, status: null, refused: "task_not_found" },
      ],
    });
    expect(waits["tasks"]).toEqual([{ task_id: 4, linked: true, status: "pending", refused: "dependency_unfinished" }]);
    expect(finished["tasks"]).toEqual([
      { task_id: 1, linked: true, status: "done" },
      { task_id: 2, linked: true, status: "done" },
      { task_id: 3, linked: true, status: "in_review" },
    ]);
    expect(again).toEqual(finished);
    const { task } = await hub.as("box1").call("get_task", { task_id: 1 });
    expect(task).toMatchObject({ links: ["https://github.com/acme/app/pull/7"], assignee: "box2" });
  });

  it("believes GitHub by its signature alone, and lets everything but a merge pass", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    const hook = await hookInto(hub, { form: "github", author: "github", finish: true });
    await hub.as("box1").call("create_task", { title: "one" });
    const body = pullRequest("crewroom#1");
    const before = await hub.state();

    const forged = [
      await sendFromGitHub({ ...hook, secret: "guess" }, body),
      await post(hook.url, body, { "x-github-event": "pull_request", authorization: `Bearer ${hook.secret}` }),
      await post(hook.url, body, { "x-github-event": "pull_request", "x-hub-signature-256": "sha256=" }),
    ];
    const passed = [
      await sendFromGitHub(hook, JSON.stringify({ zen: "Keep it logically awesome." }), "ping"),
      await sendFromGitHub(hook, body, "push"),
      await sendFromGitHub(hook, pullRequest("crewroom#1", { merged: false })),
      await sendFromGitHub(hook, pullRequest("crewroom#1", { html_url: "javascript:alert(1)" })),
      await sendFromGitHub(hook, pullRequest("only #1 and mycrewroom#1")),
    ];

    expect(forged.map((one) => one["status"])).toEqual([401, 401, 401]);
    expect(passed).toEqual(passed.map(() => ({ status: 200, ok: true, tasks: [] })));
    expect(await hub.state()).toBe(before);
  });

  it("holds only so much of what an address has not signed yet, and takes more once that has ended", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    const hook = await hookInto(hub, { form: "github", author: "github" });
    const control = new AbortController();
    const { signal } = control;
    const endless = () => {
      const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from("{")) });
      return fetch(hook.url, { method: "POST", body, duplex: "half", signal }).catch(() => undefined);
    };
    const ping = async () => (await sendFromGitHub(hook, '{"zen":"Speak like a human."}', "ping")).status;

    const held = Array.from({ length: 16 }, endless);
    await vi.waitFor(async () => {
      const answer = await ping();
      // A ping under way may have taken the place of the last one.
      held.push(endless());
      expect(answer).toBe(429);
    }, SOON);
    control.abort();
    await Promise.all(held);

    await vi.waitFor(async () => expect(await ping()).toBe(200), SOON);
  });
});
