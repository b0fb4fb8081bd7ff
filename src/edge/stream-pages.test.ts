import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { openPages } from "./stream-pages.ts";

const LOBBY = { organization: "main", room: 1, person: undefined };

/** Pages over the hub's own store, and how often it was read. */
function countedPages({ hub }: TestHub) {
  const counted = { reads: 0 };
  const read: typeof hub.store.read = (work) => {
    counted.reads += 1;
    return hub.store.read(work);
  };
  const pages = openPages(
    { ...hub.store, read },
    {
      messages: async (_tx, _organization, _room, numbers) => numbers.map((id) => ({ id, body: "said" })),
      questions: async () => [],
      movedRooms: async () => [],
      readableFrom: async (_tx, _log, _head, position) => position,
    },
  );
  return { pages, counted };
}

onEachStore("pages of a stream", (start) => {
  it("are read once for all who are woken together, and again after the next wake", async () => {
    await using hub = await start();
    const { pages, counted } = countedPages(hub);
    await hub.as("box1").call("post_message", { body: "one" });
    const together = await Promise.all(Array.from({ length: 50 }, () => pages.read(LOBBY, 0)));

    expect(counted.reads).toBe(1);
    expect(new Set(together).size).toBe(1);
    await hub.as("box1").call("post_message", { body: "two" });
    const next = await pages.read(LOBBY, 0);
    expect(next.events.length).toBe((together[0]?.events.length ?? 0) + 1);
    pages.close();
  });

  it("end before they are too large to hold, and say that there is more", async () => {
    await using hub = await start();
    for (let n = 0; n < 60; n++) await hub.as("box1").call("post_message", { body: `${n}` });
    const { pages } = countedPages(hub);
    const first = await pages.read(LOBBY, 0);
    const second = await pages.read(LOBBY, first.position);

    expect([first.full, second.full]).toEqual([true, false]);
    expect(first.events.length + second.events.length).toBeGreaterThanOrEqual(60);
    expect(await pages.read({ ...LOBBY, room: 999 }, 0)).toMatchObject({
      events: [],
      position: 0,
      full: false,
      roomIsThere: false,
    });
    pages.close();
  });
});
