import { expect, test } from "vitest";
import { listSettings } from "../src/config.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";

/** Everything the database holds, as text. */
async function everything({ hub, kind }: TestHub): Promise<string> {
  return hub.store.read(async (tx) => {
    const names = await tx.all<{ name: string }>({
      texts: [
        kind === "sqlite"
          ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'"
          : "select table_name as name from information_schema.tables where table_schema = 'public'",
      ],
      values: [],
    });
    const tables = [];
    for (const { name } of names)
      tables.push(JSON.stringify(await tx.all({ texts: [`select * from ${name}`], values: [] })));
    return tables.join("\n");
  });
}

onEachStore("a secret", (start) => {
  test("is shown once, kept as a hash, and is in no answer, refusal or row afterwards (P15)", async () => {
    await using hub = await start();
    const boss = hub.as("boss");
    const input = { agent: "box9", room: "lobby", idempotency_key: "mint-1" };

    const made = await boss.call("create_token", input);
    const token: string = made["token"];
    const said = [
      await boss.try("create_token", input),
      await boss.try("list_tokens"),
      await boss.try("instance_state"),
      await boss.try("read_events", { since_id: 0 }),
      await boss.try("post_message", { body: `please use ${token}` }),
      await boss.try("create_task", { title: token, body: token, labels: [token.slice(0, 50)] }),
      await boss.try("get_task", { task_id: token }),
      await boss.try("get_room_info", { room: token }),
      await boss.try("read_messages"),
      await (await fetch(`${hub.url}/v1/tasks?token=${token}`)).json(),
      await (await fetch(`${hub.url}/${token}`, { headers: { authorization: `Bearer ${token}x` } })).json(),
    ];

    expect(token).toMatch(/^crw_agt_[0-9A-Za-z]{36}$/);
    expect(JSON.stringify(said)).not.toContain(token);
    expect(await everything(hub)).not.toContain(token);
    const answered = await fetch(`${hub.url}/v1/tasks`, { headers: { authorization: `Bearer ${token}` } });
    expect(answered.status).toBe(200);
  });
});

test("a secret setting is covered wherever settings are shown (P15)", () => {
  const shown = listSettings({ DATABASE_URL: "postgres://user:hunter2@host/db" });

  expect(JSON.stringify(shown)).not.toContain("hunter2");
});
