import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { followStream } from "../../testkit/stream.ts";

/** Puts files 1, 2 and 3, of which the second expires in an hour. */
async function putThree(hub: TestHub) {
  const put = (more: Value = {}) => hub.as("box1").call("put_file", { name: "a", content_base64: "eA==", ...more });
  for (const more of [{}, { expires_in_hours: 1 }, {}]) await put(more);
}

onEachStore("attachments", (start) => {
  test("of a message come with it to readers and on the stream, as long as each file is there", async () => {
    await using hub = await start();
    await putThree(hub);
    await using stream = await followStream(hub, "watcher", "?after=now");
    await hub.as("box1").call("post_message", { body: "see these", attachments: [3, 2, 1, 2] });
    await hub.as("box1").call("post_message", { body: "none" });
    const seen = async () =>
      (await hub.as("box2").call("read_messages"))["messages"].map((message: Value) => message["attachments"]);

    const live = await stream.next("chat");
    const all = await seen();
    hub.later({ hours: 1 });
    const later = await seen();
    await hub.as("box1").call("delete_file", { file_id: 3 });
    const after = await seen();
    await hub.as("box1").call("delete_file", { file_id: 1 });

    expect(live.data["attachments"]).toEqual([1, 2, 3]);
    expect([all, later, after]).toEqual([
      [[1, 2, 3], undefined],
      [[1, 3], undefined],
      [[1], undefined],
    ]);
    expect(await seen()).toEqual([undefined, undefined]);
  });

  test("of a message that is taken back are no longer shown; the files stay", async () => {
    await using hub = await start();
    await putThree(hub);
    await hub.as("box1").call("post_message", { body: "see", attachments: [1] });

    const taken = await hub.as("box1").call("retract_message", { message_id: 1 });

    expect(taken["message"]).not.toHaveProperty("attachments");
    expect((await hub.as("box2").call("read_messages"))["messages"][0]).not.toHaveProperty("attachments");
    expect((await hub.as("box2").try("get_file", { file_id: 1 })).ok).toBe(true);
  });

  test("of a task are set, replaced and emptied under its version, and told of", async () => {
    await using hub = await start();
    await putThree(hub);
    const of = async () => (await hub.as("box2").call("get_task", { task_id: 1 }))["task"]["attachments"];

    const created = await hub.as("box1").call("create_task", { title: "read it", attachments: [2, 1] });
    const listed = (await hub.as("box2").call("list_tasks"))["tasks"][0];
    const changed = await hub
      .as("box1")
      .call("update_task", { task_id: 1, attachments: [3], expected_version: 1, note: "new" });
    const same = await hub.as("box1").call("update_task", { task_id: 1, attachments: [3], expected_version: 2 });
    const event = (await hub.eventsOf("lobby")).findLast(({ kind }) => kind === "task_updated");
    const stale = await hub.as("box1").call("update_task", { task_id: 1, attachments: [1], expected_version: 1 });
    const kept = await of();
    const emptied = await hub.as("box1").call("update_task", { task_id: 1, attachments: [], expected_version: 2 });

    expect([created["created"].attachments, listed.attachments]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect([changed["updated"], changed["task"].attachments, changed["task"].version]).toEqual([true, [3], 2]);
    expect([same["updated"], same["reason"]]).toEqual([false, "nothing to change"]);
    expect(event).toMatchObject({ detail: "attachments", task: 1 });
    expect([stale["updated"], kept]).toEqual([false, [3]]);
    expect([emptied["updated"], await of()]).toEqual([true, undefined]);
  });

  test("of a task are gone when their file is, and in the answers of claim and release too", async () => {
    await using hub = await start();
    await putThree(hub);
    await hub.as("box1").call("create_task", { title: "read it", attachments: [1, 2] });

    const claimed = await hub.as("box2").call("claim_task", { task_id: 1 });
    hub.later({ hours: 1 });
    const released = await hub.as("box2").try("release_task", { task_id: 1 });
    await hub.as("box1").call("delete_file", { file_id: 1 });

    expect(claimed["task"].attachments).toEqual([1, 2]);
    expect(released).toMatchObject({ value: { task: { attachments: [1] } } });
    expect((await hub.as("box2").call("get_task", { task_id: 1 }))["task"]).not.toHaveProperty("attachments");
  });

  test("that are no files of the room now are refused by number, and nothing is written", async () => {
    await using hub = await start();
    await putThree(hub);
    await hub.as("box1").call("put_file", { name: "a", content_base64: "eA==", room: "ops" });
    await hub.as("box1").call("create_task", { title: "x" });
    hub.later({ hours: 1 });
    const before = await hub.state();

    const refused = [
      await hub.as("box1").try("post_message", { body: "x", attachments: [1, 4] }),
      await hub.as("box1").try("post_message", { body: "x", attachments: [2] }),
      await hub.as("box1").try("post_message", { body: "x", room: "ops", attachments: [3] }),
      await hub.as("box1").try("create_task", { title: "y", attachments: [2] }),
      await hub.as("box1").try("update_task", { task_id: 1, attachments: [77] }),
    ];
    const bad = [
      await hub.as("box1").try("post_message", { body: "x", attachments: ["1"] }),
      await hub.as("box1").try("post_message", { body: "x", attachments: Array.from({ length: 21 }, (_, n) => n + 1) }),
    ];

    for (const reply of refused) expect(reply).toMatchObject({ status: 404, code: "file_not_found" });
    for (const reply of bad) expect(reply).toMatchObject({ status: 400, code: "bad_input" });
    expect(await hub.state()).toBe(before);
  });
});

onEachStore("GET /v1/stream", (start) => {
  test("begins with the room's files, sends them again after each change with snapshots=1, and names them in events", async () => {
    await using hub = await start();
    await putThree(hub);
    await using stream = await followStream(hub, "watcher", "?after=now&snapshots=1");
    const namesIn = (data: unknown) => (data as Value[]).map((file) => file["id"]);

    const first = await stream.next("files");
    await hub.as("box1").call("delete_file", { file_id: 1 });
    const event = await stream.next("activity");
    const second = await stream.next("files");

    expect(namesIn(first.data)).toEqual([3, 2, 1]);
    expect(event.data).toMatchObject({ kind: "file_deleted", actor: "box1", file_id: 1, detail: "a (1 B)" });
    expect(namesIn(second.data)).toEqual([3, 2]);
  });
});
