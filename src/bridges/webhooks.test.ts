import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { openReceiver, type Received } from "../testkit/receiver.ts";

interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const read = ({ body }: Received): Told => JSON.parse(body) as Told;
const details = (received: readonly Received[]) => received.map((one) => read(one).data["detail"]);

async function hookTo(hub: TestHub, url: string, more: Readonly<Record<string, unknown>> = {}) {
  const { hook, secret } = await hub.as("boss").call("create_hook", { direction: "out", url, ...more });
  return { id: String(hook.id), secret: String(secret) };
}

async function stateOf(hub: TestHub, id: string) {
  const { hooks } = await hub.as("boss").call("list_hooks");
  return (hooks as { id: string; state: string; last_problem: string | null }[]).find((hook) => hook.id === id);
}

onEachStore("an outbound webhook", (start) => {
  it("gets what happens in its room, signed, in order, and nothing of before", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    await hub.as("box1").call("post_message", { body: "before" });
    const { secret } = await hookTo(hub, `${receiver.url}/in?x=1`, { room: "lobby" });

    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box1").call("post_message", { body: "elsewhere", room: "ops" });
    await hub.as("box1").call("create_task", { title: "two" });
    const received = await receiver.arrivals(2);
    await hub.hub.bridges.work();

    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /in?x=1", "POST /in?x=1"]);
    expect(received.map(read)).toMatchObject([
      { type: "message", data: { room: "lobby", organization: "main", actor: "box1", message_id: 2, detail: "one" } },
      { type: "task_created", data: { room: "lobby", actor: "box1", task_id: 1, detail: "two" } },
    ]);
    const verifier = new Webhook(secret);
    for (const { body, headers } of received)
      expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({ type: expect.any(String) });
    expect(() => verifier.verify(`${received[0]?.body} `, received[0]?.headers as Record<string, string>)).toThrow();
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
  });

  it("gets only the kinds it asked for, and of every room where it named none", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    await hub.seatPeople();
    await hookTo(hub, receiver.url, { kinds: ["message"] });

    await hub.as("box1").call("create_task", { title: "not this" });
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Nor this?" });
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box1").call("post_message", { body: "two", room: "ops" });
    await hub.as("stranger").call("post_message", { body: "of another organization" });
    await receiver.arrivals(2);
    await hub.hub.bridges.work();

    expect(details(receiver.received)).toEqual(["one", "two"]);
  });

  it("goes on where it stopped after its receiver was down, and holds no other up", async () => {
    await using receiver = await openReceiver();
    await using other = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: `${receiver.host},${other.host}` });
    const { id } = await hookTo(hub, receiver.url);
    await hookTo(hub, other.url);
    receiver.answer(500);

    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box1").call("post_message", { body: "two" });
    await other.arrivals(2);
    await receiver.arrivals(1);
    await hub.hub.bridges.work();
    const failing = await stateOf(hub, id);
    receiver.answer(204);
    hub.later({ minutes: 10 });
    await hub.hub.bridges.work();

    expect(failing).toMatchObject({ state: "failing", last_problem: "it was answered with 500" });
    const once = details(receiver.received).filter((detail, at, all) => detail !== all[at - 1]);
    expect(once).toEqual(["one", "two"]);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids[0]).toBe(ids[1]);
    expect(details(other.received)).toEqual(["one", "two"]);
    expect(await stateOf(hub, id)).toMatchObject({ state: "working" });
  });

  it("is disabled once its receiver failed for a day, and is told of", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    const { id } = await hookTo(hub, receiver.url);
    receiver.answer(503);
    await hub.as("box1").call("post_message", { body: "one" });
    await receiver.arrivals(1);
    await hub.hub.bridges.work();

    hub.later({ hours: 23 });
    await hub.hub.bridges.work();
    const still = await stateOf(hub, id);
    hub.later({ hours: 2 });
    await hub.hub.bridges.work();
    const tried = receiver.received.length;
    await hub.as("box1").call("post_message", { body: "two" });
    await hub.hub.bridges.work();

    expect(still).toMatchObject({ state: "failing" });
    expect(await stateOf(hub, id)).toMatchObject({
      state: "disabled",
      disabled_reason: "it was answered with 503",
    });
    expect(receiver.received.length).toBe(tried);
    const told = (await hub.eventsOf(null)).filter(({ kind }) => kind === "hook_disabled");
    expect(told).toMatchObject([{ actor: "crewroom", detail: `${id}: it was answered with 503` }]);
  });

  it("is disabled at once by an answer that it is gone, follows no redirect, and is silent once deleted", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    const redirected = await hookTo(hub, `${receiver.url}/redirected`);
    receiver.answer(302, `${receiver.url}/elsewhere`);
    await hub.as("box1").call("post_message", { body: "one" });
    await receiver.arrivals(1);
    await hub.hub.bridges.work();
    const afterRedirect = await stateOf(hub, redirected.id);
    await hub.as("boss").call("delete_hook", { hook_id: redirected.id });
    const gone = await hookTo(hub, `${receiver.url}/gone`);
    receiver.answer(410);

    await hub.as("box1").call("post_message", { body: "two" });
    hub.later({ minutes: 10 });
    await hub.hub.bridges.work();

    expect(afterRedirect).toMatchObject({ state: "failing", last_problem: "it was answered with 302" });
    expect(await stateOf(hub, gone.id)).toMatchObject({ state: "disabled" });
    expect(receiver.received.map(({ path }) => path)).toEqual(["/redirected", "/gone"]);
  });

  it("reaches nothing inside this network that the operator did not list", async () => {
    await using receiver = await openReceiver();
    await using hub = await start();
    const boss = hub.as("boss");
    const inside = [
      receiver.url,
      "https://127.0.0.1/x",
      "https://127.1/x",
      "https://2130706433/x",
      "https://0x7f.1/x",
      "https://[::1]/x",
      "https://[::ffff:127.0.0.1]/x",
      "https://localhost/x",
      "https://hub.localhost/x",
      "https://localhost./x",
      "https://metadata.google.internal/x",
      "https://printer.local/x",
      "https://router.lan/x",
      "https://intranet/x",
      "https://169.254.169.254/latest",
      "http://example.com/x",
      "https://example.com:8443/x",
      "https://user:pass@example.com/x",
      "ftp://example.com/x",
      "file:///etc/passwd",
      "nonsense",
    ];

    const replies = await Promise.all(inside.map((url) => boss.try("create_hook", { direction: "out", url })));

    for (const [index, reply] of replies.entries())
      expect(reply, inside[index]).toMatchObject({ status: 400, code: "bad_input" });
    expect(await boss.call("list_hooks")).toEqual({ count: 0, hooks: [] });
    expect(receiver.received).toEqual([]);
  });

  it("is worked on by one of several processes, and another takes over from one that died", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    const { id } = await hookTo(hub, receiver.url);
    const key = { organization: "main", kind: "hook", id };
    const { store } = hub.hub;
    const { advanceFollower, takeFollower } = await import("./follower-queries.ts");
    const take = (node: string) => store.write("main", (tx) => takeFollower(tx, key, node, tx.now + 60_000));

    const [first, second] = [await take("one"), await take("two")];
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.hub.bridges.work();
    const whileHeld = receiver.received.length;
    hub.later({ minutes: 2 });
    await hub.hub.bridges.work();
    const late = await store.write("main", (tx) => advanceFollower(tx, key, "one", (first?.position ?? 0) + 5, null));

    expect(first).toMatchObject({ id });
    expect(second).toBeUndefined();
    expect(whileHeld).toBe(0);
    expect(details(receiver.received)).toEqual(["one"]);
    expect(late).toBe(false);
  });
});
