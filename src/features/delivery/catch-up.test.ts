import { expect, test } from "vitest";
import type { Actor, Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { fillLog } from "../../testkit/log.ts";

type Item = { id: number; message_id: number; detail: string; again?: true; for_you?: true; cut?: number };
const itemsOf = (answer: Value) => answer["events"] as Item[];
const messagesOf = (answer: Value) => itemsOf(answer).map((item) => item.message_id);

/** As a hook calls: it acknowledges what it has printed. */
const catchUp = (actor: Actor, input: Value = {}) => actor.call("catch_up", { ack: "0", ...input });

async function post(hub: TestHub, ...bodies: string[]) {
  for (const body of bodies) await hub.as("box1").call("post_message", { body });
}

const receiptOf = async (hub: TestHub, message_id: number) =>
  (await hub.as("box1").call("get_receipts", { message_id }))["receipts"].find(
    (one: Value) => one["member"] === "box2",
  );

onEachStore("catch_up", (start) => {
  test("gives what others wrote, a message's own text, and again until it is acknowledged", async () => {
    await using hub = await start();
    const box2 = hub.as("box2").in("s1");
    const text = "x".repeat(300);
    await post(hub, `@box2 ${text}`, text.repeat(2));
    await box2.call("post_message", { body: "my own" });

    const first = await catchUp(box2);
    const lost = await catchUp(box2);
    const after = await catchUp(box2, { ack: lost["cursor"] });
    await post(hub, "three");
    const third = await catchUp(box2, { ack: lost["cursor"] });

    expect(first).toMatchObject({ room: "lobby", you_are: "box2", unread: 2, for_you: 1 });
    expect(itemsOf(first)).toMatchObject([
      { message_id: 1, detail: `@box2 ${text}`, for_you: true },
      { message_id: 2, detail: "x".repeat(400), cut: 200 },
    ]);
    expect(itemsOf(first).map((item) => item.again)).toEqual([undefined, undefined]);
    expect(itemsOf(lost).map((item) => item.again)).toEqual([true, true]);
    expect([messagesOf(lost), messagesOf(after), messagesOf(third)]).toEqual([[1, 2], [], [4]]);
  });

  test("keeps the newest, and what is for its reader before the rest, however much lies behind", async () => {
    await using hub = await start();
    await post(hub, "@box2 the oldest of all");
    await fillLog(hub, "lobby", "box3", 1_200);
    await post(hub, "the newest of all");

    const answer = await catchUp(hub.as("box2"));
    const done = await catchUp(hub.as("box2"), { ack: answer["cursor"] });

    const messages = messagesOf(answer);
    expect(answer).toMatchObject({ for_you: 1, unread: 1_200, unread_capped: true });
    expect(itemsOf(answer)).toHaveLength(26);
    expect([messages.at(0), itemsOf(answer).at(-1)?.detail]).toEqual([1, "the newest of all"]);
    expect([done["unread"], itemsOf(done)]).toEqual([0, []]);
  });

  test("gives receipts for what was printed and acknowledged, and for nothing that was left out", async () => {
    await using hub = await start();
    const box2 = hub.as("box2").in("s1");
    await post(hub, "@box2 one", "@box2 two", "@box2 three");
    const answer = await catchUp(box2);
    const before = await Promise.all([1, 2, 3].map((number) => receiptOf(hub, number)));

    await catchUp(box2, {
      ack: answer["cursor"],
      shown_from: itemsOf(answer)[1]?.id,
      for_you_from: itemsOf(answer)[1]?.id,
    });

    expect(before).toMatchObject([{ state: "stored" }, { state: "stored" }, { state: "stored" }]);
    expect(await Promise.all([1, 2, 3].map((number) => receiptOf(hub, number)))).toMatchObject([
      { state: "stored" },
      { state: "handed_over", handed_over: { path: "hook", session: "s1" } },
      { state: "handed_over", handed_over: { path: "hook", session: "s1" } },
    ]);
    const asked = await box2.call("whats_new");
    expect((asked["events"] as { already_shown?: true }[]).map((item) => item.already_shown)).toEqual([
      undefined,
      true,
      true,
    ]);
  });

  test("shows no session what its other paths have shown, and each session its own", async () => {
    await using hub = await start();
    const [one, two] = [hub.as("box2").in("s1"), hub.as("box2").in("s2")];
    await post(hub, "first");
    for (const session of [one, two]) await catchUp(session, { ack: (await catchUp(session))["cursor"] });
    await post(hub, "second");

    const asked = await one.call("whats_new");
    await expect.poll(async () => (await one.call("whats_new", { peek: true }))["count"]).toBe(0);
    const shown = [await catchUp(one), await catchUp(two)];

    expect((asked["events"] as Item[]).map(({ message_id }) => message_id)).toEqual([1, 2]);
    expect(shown.map(messagesOf)).toEqual([[], [2]]);
  });

  test("begins in a new session where its credential has come to", async () => {
    await using hub = await start();
    const one = hub.as("box2").in("s1");
    await post(hub, "first");
    const { cursor } = await catchUp(one);
    await post(hub, "second");

    const unseen = await catchUp(hub.as("box2").in("s2"));
    await catchUp(one, { ack: cursor });
    const fresh = await catchUp(hub.as("box2").in("s3"));
    const other = await catchUp((await hub.add("box2", { rooms: ["lobby"] })).in("s1"));

    expect([unseen, fresh, other].map(messagesOf)).toEqual([[1, 2], [2], [1, 2]]);
    expect(itemsOf(fresh).map((item) => item.again)).toEqual([undefined]);
  });

  test("hands nothing out when asked only where the reader stands, or to acknowledge", async () => {
    await using hub = await start();
    const box2 = hub.as("box2").in("s1");
    await hub.as("box1").call("create_task", { title: "held" });
    await box2.call("claim_task", { task_id: 1 });
    await hub.as("box1").call("create_task", { title: "held elsewhere" });
    await hub.as("box2").in("s2").call("claim_task", { task_id: 2 });
    await hub.as("box1").call("create_task", { title: "free" });
    await post(hub, "@box2 look");

    const standing = await catchUp(box2, { show: "standing" });
    const nothing = await catchUp(box2, { show: "nothing" });
    const news = await catchUp(box2);

    expect(standing).toMatchObject({
      unread: 4,
      for_you: 1,
      events: [],
      holds: [
        { room: "lobby", task_id: 1, status: "in_progress", lease_ends_at: expect.stringMatching(/Z$/), here: true },
        { room: "lobby", task_id: 2, status: "in_progress", here: false },
      ],
    });
    expect(nothing).toMatchObject({ events: [] });
    expect(nothing).not.toHaveProperty("holds");
    expect(itemsOf(news).map((item) => item.again)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("breaks a silence only for what is for the reader, and brings the rest with it", async () => {
    await using hub = await start();
    await post(hub, "chatter");

    const silent = await catchUp(hub.as("box2"), { show: "if_for_you" });
    await post(hub, "@box2 look");
    const spoken = await catchUp(hub.as("box2"), { show: "if_for_you" });

    expect([silent["unread"], messagesOf(silent), messagesOf(spoken)]).toEqual([1, [], [1, 2]]);
  });

  test("brings the questions of the person whose agent it is, with what waits, and gives receipts for them", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Which port?" });
    const benbot = hub.as("benbot").in("s1");

    const first = await catchUp(benbot, { show: "if_for_you" });
    const second = await catchUp(benbot, { ack: first["cursor"] });
    const other = await catchUp(hub.as("benbot").in("s2"));

    expect(first).toMatchObject({
      inbox: 1,
      questions: [{ kind: "question_asked", actor: "ann", message_id: 1, to: "ben", for_you: true }],
    });
    expect(second).toMatchObject({ inbox: 1 });
    expect([second, other].map((answer) => "questions" in answer)).toEqual([false, false]);
    expect(JSON.stringify(first)).not.toContain("Which port?");
  });

  test("passes over any amount of own activity, and never lets it take the place of others'", async () => {
    await using hub = await start();
    await post(hub, "one");
    await fillLog(hub, "lobby", "box2", 2_000);
    const places = () => hub.hub.store.read((tx) => tx.all<Value>({ texts: ["select * from places"], values: [] }));

    const first = await catchUp(hub.as("box2"));
    await catchUp(hub.as("box2"), { ack: first["cursor"] });
    await fillLog(hub, "lobby", "box2", 2_000);
    const own = await catchUp(hub.as("box2"));
    const moved = await places();
    const quiet = await catchUp(hub.as("box2"));

    expect([first, own, quiet].map(messagesOf)).toEqual([[1], [], []]);
    expect(own).toMatchObject({ unread: 0, for_you: 0 });
    expect(moved.map((place) => String(place["position"]))).toEqual([String(own["cursor"]).split(".")[1]]);
    expect(await places()).toEqual(moved);
  });

  test("takes what was written out as shown from a reader that never acknowledges", async () => {
    await using hub = await start();
    await post(hub, "one");

    const first = await hub.as("box2").call("catch_up");

    expect(messagesOf(first)).toEqual([1]);
    await expect.poll(async () => messagesOf(await hub.as("box2").call("catch_up", { show: "news" }))).toEqual([]);
  });

  test("acknowledges no more than was offered, and tells a cursor of another history", async () => {
    await using hub = await start();
    await post(hub, "one", "two");
    const box2 = hub.as("box2");

    const { cursor } = await catchUp(box2, { show: "standing" });
    const ahead = await catchUp(box2, { ack: cursor });
    const replies = [];
    for (const ack of [999_999, "zzzzzzzzzzzz.1", "nothing"]) replies.push(await box2.try("catch_up", { ack }));

    expect(messagesOf(ahead)).toEqual([1, 2]);
    expect(replies.map((reply) => !reply.ok && [reply.status, reply.code])).toEqual([
      [400, "cursor_ahead"],
      [410, "epoch_changed"],
      [400, "unknown_cursor"],
    ]);
  });
});
