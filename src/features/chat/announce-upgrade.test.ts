import { expect, test } from "vitest";
import { readSettings } from "../../config.ts";
import { startHub } from "../../hub.ts";
import { openSqlite } from "../../store/sqlite.ts";
import { makeDatabase } from "../../testkit/databases.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { VERSION } from "../../version.ts";
import { announceUpgrade } from "./announce-upgrade.ts";
import { findServedVersion, saveServedVersion } from "./announcement-queries.ts";

/** A busy machine takes its time. */
const PATIENCE = { timeout: 20_000 };

/** What the hub itself has said, by room. */
async function saidIn(hub: TestHub, handle: string, room: string): Promise<string[]> {
  const { messages } = await hub.as(handle).call("read_messages", { room });
  return (messages as { author: string; body: string }[])
    .filter(({ author }) => author === "crewroom")
    .map(({ body }) => body);
}

const served = (hub: TestHub) => hub.hub.store.read(findServedVersion);

onEachStore("an upgrade", (start) => {
  test("is told in every room of every organization once, by whichever node comes first", async () => {
    await using hub = await start();
    const { store } = hub.hub;
    await expect.poll(() => served(hub), PATIENCE).toBe(VERSION);

    await Promise.all([1, 2, 3].map(() => announceUpgrade(store, { version: "7.10.0", isTold: true })));
    await announceUpgrade(store, { version: "7.10.0", isTold: true });

    for (const [handle, room] of [
      ["boss", "lobby"],
      ["boss", "ops"],
      ["ruler", "lobby"],
    ] as const)
      expect(await saidIn(hub, handle, room)).toEqual([
        expect.stringContaining(`Crewroom 7.10.0 now; before it was ${VERSION}`),
      ]);
    expect((await hub.eventsOf("ops")).at(-1)).toMatchObject({ kind: "message", actor: "crewroom", message: 1 });
    expect((await hub.as("box2").call("whats_new"))["events"]).toMatchObject([{ kind: "message", actor: "crewroom" }]);
  });

  test("is none at the first start, with an older version, or where it is not to be told", async () => {
    await using hub = await start();
    const { store } = hub.hub;
    await expect.poll(() => served(hub), PATIENCE).toBe(VERSION);

    await announceUpgrade(store, { version: "0.0.9", isTold: true });
    await announceUpgrade(store, { version: "8.0.0", isTold: false });
    await announceUpgrade(store, { version: "8.0.0-rc.2", isTold: true });
    await announceUpgrade(store, { version: "8.0.0", isTold: true });

    expect(await saidIn(hub, "boss", "lobby")).toEqual([]);
    expect(await served(hub)).toBe("8.0.0");
  });
});

test.each([
  ["on", 1],
  ["off", 0],
])(
  "A hub that starts with CREWROOM_ANNOUNCE_UPGRADES=%s on an older one's database tells of it %i times.",
  async (set, times) => {
    const database = await makeDatabase("sqlite");
    const settings = readSettings({
      ...database.settings,
      PORT: "0",
      CREWROOM_LOG: "silent",
      CREWROOM_ANNOUNCE_UPGRADES: set,
    });
    await (await startHub(settings)).close();
    const store = await openSqlite({ path: settings.CREWROOM_DB });
    await store.write("", (tx) => saveServedVersion(tx, "0.0.1"));
    await store.close();

    const hub = await startHub(settings);
    await expect.poll(() => hub.store.read(findServedVersion), PATIENCE).toBe(VERSION);
    const said = await hub.store.read((tx) =>
      tx.all<{ author: string }>({ texts: ["select author from messages"], values: [] }),
    );
    await hub.close();
    await database.remove();

    expect(said).toEqual(Array.from({ length: times }, () => ({ author: "crewroom" })));
  },
);
