import { expect, test } from "vitest";
import { sweepFiles } from "../../housekeeping.ts";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

const kept = ({ hub }: TestHub) =>
  hub.store.read(async (tx) => {
    const files = await tx.all<{ number: number }>(sql`select number from files order by number`);
    const parts = await tx.all<{ file: number }>(sql`select file from file_parts order by file`);
    return { files: files.map(({ number }) => number), parts: parts.map(({ file }) => file) };
  });

onEachStore("expired files", (start) => {
  test("have their bytes freed by housekeeping, however many they are, and others stay", async () => {
    await using hub = await start();
    const put = (expires_in_hours?: number) =>
      hub
        .as("box1")
        .call("put_file", { name: "a", content_base64: "eA==", ...(expires_in_hours && { expires_in_hours }) });
    for (let count = 0; count < 45; count++) await put(1);
    await put();
    await put(2);
    const rooms = async () => (await hub.as("box2").call("list_rooms"))["rooms"][0]["files"];

    await sweepFiles(hub.hub.core);
    const before = [(await kept(hub)).files.length, await rooms()];
    hub.later({ hours: 1 });
    const counted = await rooms();
    await sweepFiles(hub.hub.core);

    expect(before).toEqual([47, 47]);
    expect(counted).toBe(2);
    expect(await kept(hub)).toEqual({ files: [46, 47], parts: [46, 47] });
    expect(await hub.as("box1").call("put_file", { name: "a", content_base64: "eA==" })).toMatchObject({ file_id: 48 });
  });

  test("need not be swept for delete_room, which leaves no bytes behind", async () => {
    await using hub = await start();
    await hub.as("box1").call("put_file", { name: "a", content_base64: "eA==", expires_in_hours: 0.001 });
    hub.later({ minutes: 1 });

    await hub.as("boss").call("delete_room", { room: "lobby" });

    expect(await kept(hub)).toEqual({ files: [], parts: [] });
  });
});
