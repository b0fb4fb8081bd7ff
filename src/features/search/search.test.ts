import { expect, test } from "vitest";
import { indexWhatIsThere, sweepFiles } from "../../housekeeping.ts";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { askAndSend, press } from "../../testkit/questions.ts";

interface Hit {
  readonly kind: string;
  readonly id: number;
  readonly room?: string;
  readonly note_id?: number;
  readonly title?: string;
  readonly text: string;
}

async function namesFor(hub: TestHub, handle: string, input: object): Promise<string[]> {
  return namesOf((await hub.as(handle).call("search", input))["hits"]);
}

function namesOf(hits: readonly Hit[]): string[] {
  return hits.map(({ kind, room, id, note_id }) =>
    [kind, room, id, note_id].filter((part) => part !== undefined).join(" "),
  );
}

/** One text of each sort, each a second after the one before. */
async function fill(hub: TestHub) {
  const calls: readonly (readonly [string, string, object])[] = [
    ["box1", "post_message", { body: "The poller of 東京 reads /etc/poller/config.yml" }],
    ["box1", "create_task", { title: "Host the poller", body: "Déjà vu on box2", labels: ["sensors"] }],
    ["box1", "add_note", { task_id: 1, body: "poller moved, see getPollerState" }],
    ["box1", "put_file", { name: "poller_log.txt", content_base64: "eA==", expires_in_hours: 2 }],
    ["opsbox", "post_message", { body: "poller secrets of ops" }],
    ["stranger", "post_message", { body: "poller of another organization" }],
  ];
  for (const [handle, operation, input] of calls) {
    await hub.as(handle).call(operation, input);
    hub.later({ seconds: 1 });
  }
}

/** What "poller" finds in the lobby then. */
const LOBBY = ["file lobby 1", "note lobby 1 1", "task lobby 1", "message lobby 1"];

onEachStore("search", (start) => {
  test("finds messages, tasks and notes of the rooms one may enter, newest first", async () => {
    await using hub = await start();
    await fill(hub);

    expect(await namesFor(hub, "box2", { query: "poller" })).toEqual(LOBBY);
    expect(await namesFor(hub, "watcher", { query: "poller" })).toEqual(LOBBY);
    expect(await namesFor(hub, "opsbox", { query: "poller" })).toEqual(["message ops 1"]);
    expect(await namesFor(hub, "boss", { query: "poller" })).toEqual(["message ops 1", ...LOBBY]);
    expect(await namesFor(hub, "stranger", { query: "poller" })).toEqual(["message lobby 1"]);
  });

  test.each([
    ["東京", ["message lobby 1"]],
    ["京", ["message lobby 1"]],
    ["etc/poller/config.yml", ["message lobby 1"]],
    ["config yml", ["message lobby 1"]],
    ["DEJA box2", ["task lobby 1"]],
    ["sensors", ["task lobby 1"]],
    ["getPollerState", ["note lobby 1 1"]],
    ["state", ["note lobby 1 1"]],
    ["poller_log.txt", ["file lobby 1"]],
    ["poller nowhere", []],
    ["=main=message", []],
    ['" OR 1 --', []],
  ])("finds by %j the same on both databases", async (query, names) => {
    await using hub = await start();
    await fill(hub);

    expect(await namesFor(hub, "box2", { query })).toEqual(names);
  });

  test("looks where it is told to: kinds, rooms, both", async () => {
    await using hub = await start();
    await fill(hub);
    const boss = (where: string[]) => namesFor(hub, "boss", { query: "poller", in: where });

    expect(await boss(["tasks", "notes"])).toEqual(["note lobby 1 1", "task lobby 1"]);
    expect(await boss(["#ops"])).toEqual(["message ops 1"]);
    expect(await boss(["messages", "#lobby"])).toEqual(["message lobby 1"]);
    expect(await boss(["answers"])).toEqual([]);
    expect(await hub.as("box2").try("search", { query: "poller", in: ["#ops"] })).toMatchObject({
      status: 403,
      code: "room_not_granted",
      error: { data: { rooms: ["lobby"] } },
    });
    for (const input of [
      { in: ["everything"] },
      { in: "tasks" },
      { before: "x" },
      { before: "note.1.1" },
      { before: "message.1.77" },
      { before: "message.2.1" },
      { query: " " },
    ])
      expect(await hub.as("box2").try("search", { query: "poller", ...input })).toMatchObject({ status: 400 });
  });

  test("shows where the words stand, and says which texts are others'", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: `${"x ".repeat(1_000)}the needle 😀 ${"y ".repeat(1_000)}` });
    await hub.as("box1").call("create_task", { title: "A needle", body: "short" });

    const { hits } = (await hub.as("box2").call("search", { query: "needle" })) as { hits: Hit[] };

    expect(hits[0]).toMatchObject({ title: "A needle", text: "short" });
    expect(hits[1]?.text).toMatch(/^…x x .*the needle 😀 y .*y…$/u);
    expect(Array.from(hits[1]?.text ?? "")).toHaveLength(240);
  });

  test("finds a changed text by its new words only, and a retracted one no more", async () => {
    await using hub = await start();
    await fill(hub);

    await hub.as("box1").call("update_task", { task_id: 1, title: "Host the scraper", note: "renamed" });
    await hub.as("box1").call("retract_message", { message_id: 1 });
    await hub.as("box1").call("release_task", { task_id: 1 });

    expect(await namesFor(hub, "box2", { query: "poller" })).toEqual(["file lobby 1", "note lobby 1 1"]);
    expect(await namesFor(hub, "box2", { query: "scraper" })).toEqual(["task lobby 1"]);
    expect(await namesFor(hub, "box2", { query: "renamed" })).toEqual(["note lobby 1 2"]);
    expect(JSON.stringify(await wordsKept(hub))).not.toContain("東京");
  });

  test("finds a file's name until it is deleted or has expired, and then keeps none of its words", async () => {
    await using hub = await start();
    await fill(hub);
    await hub.as("box1").call("put_file", { name: "poller.png", content_base64: "eA==" });
    const files = () => namesFor(hub, "box2", { query: "poller", in: ["files"] });

    const both = await files();
    await hub.as("box1").call("delete_file", { file_id: 2 });
    const one = await files();
    hub.later({ hours: 2 });
    const none = await files();
    await sweepFiles(hub.hub.core);

    expect([both, one, none]).toEqual([["file lobby 2", "file lobby 1"], ["file lobby 1"], []]);
    expect(JSON.stringify(await wordsKept(hub))).not.toMatch(/poller(\.png|_log)/);
  });

  test("finds nothing of a deleted room, nor keeps its words", async () => {
    await using hub = await start();
    await fill(hub);

    await hub.as("boss").call("delete_room", { room: "lobby" });
    await hub.as("boss").call("create_room", { name: "lobby" });

    expect(await namesFor(hub, "boss", { query: "poller" })).toEqual(["message ops 1"]);
    expect(JSON.stringify(await wordsKept(hub))).not.toContain("config.yml");
  });

  test("pages without gap or repeat, many texts of one moment too", async () => {
    await using hub = await start();
    for (let number = 0; number < 7; number++) await hub.as("box1").call("post_message", { body: `poller ${number}` });

    const seen: string[] = [];
    let next: object | null = {};
    while (next) {
      const page = await hub.as("box2").call("search", { query: "poller", limit: 3, ...next });
      seen.push(...namesOf(page["hits"]));
      next = page["next"];
    }

    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((number) => `message lobby ${number}`));
  });

  test("finds answers for those who may read them, and for no agent of nobody", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub, "The poller runs nightly.", {
      question: "When does the poller run?",
    });
    await press(await hub.browser("ben"), approval_id);

    const { hits } = (await hub.as("ann").call("search", { query: "poller nightly" })) as { hits: Hit[] };

    expect(hits).toMatchObject([
      { kind: "answer", id: 1, author: "ben", title: "When does the poller run?", text: "The poller runs nightly." },
    ]);
    expect(await namesFor(hub, "annbot", { query: "poller nightly" })).toEqual(["answer 1"]);
    for (const handle of ["cleo", "dora", "box1", "boss", "yuri"])
      expect(await namesFor(hub, handle, { query: "poller nightly", in: ["answers"] }), handle).toEqual([]);
  });

  test("finds what was written before there was an index, once a server has worked through it", async () => {
    await using hub = await start();
    await fill(hub);
    await hub.hub.store.write("main", async (tx) => {
      await tx.run(sql`delete from search_index`);
      // As the migration lists them.
      const rows = [
        [-2, "main", "note", 1, 1, 1],
        [0, "main", "message", 2, 1, 0],
        [-4, "main", "message", 1, 1, 0],
        [-5, "main", "message", 1, 99, 0],
        [-3, "main", "task", 1, 1, 0],
        [-1, "main", "file", 1, 1, 0],
      ];
      await tx.run(sql`
        insert into search_backlog (place, organization, kind, room, number, part)
        values ${sql.rows(rows)}`);
    });
    const before = await namesFor(hub, "boss", { query: "poller" });

    await indexWhatIsThere(hub.hub.core, new AbortController().signal);

    expect(before).toEqual([]);
    expect(await namesFor(hub, "boss", { query: "poller" })).toEqual(["message ops 1", ...LOBBY]);
    expect(await hub.hub.store.read((tx) => tx.all(sql`select * from search_backlog`))).toEqual([]);
  });
});

/** What the index itself keeps of `main`'s and other organizations' texts. */
function wordsKept(hub: TestHub): Promise<{ words: string }[]> {
  return hub.hub.store.read((tx) =>
    tx.all<{ words: string }>(sql`select cast(words as text) as words from search_index`),
  );
}
