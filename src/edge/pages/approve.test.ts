import { expect, it } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";
import { makeVisitor, visitAs } from "../../testkit/page-visitor.ts";
import { askAndSend, askForLevel, repliesOf } from "../../testkit/questions.ts";
import { sql } from "../../store/sql.ts";

onEachStore("the page of a request for approval", (start) => {
  it("shows who asks, the whole text and one button, and pressing it sends exactly that", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const text = `Three <b>retries</b> & "pauses",\r\nsee https://wiki.example/x \u{1f600}\n${"long ".repeat(500)}end `;
    const { approval_id, sent } = await askAndSend(hub, text);
    const ben = await visitAs(hub, "ben");

    const shown = await ben.open(new URL(sent["approve_url"]).pathname);
    const done = await ben.submit(`/approve/${approval_id}`);
    const replies = await repliesOf(hub);

    expect([shown.status, shown.html.match(/<button class="main"/g)?.length]).toEqual([200, 1]);
    expect(shown.text).toContain("ann (ann) asked you through the agent annbot");
    expect(shown.text).toContain("How many retries?");
    expect(shown.text).toContain('Three <b>retries</b> & "pauses",\\u{d} see https://wiki.example/x \u{1f600}');
    expect(shown.text).toContain("Counts as confirmed: you pressed the button on this page");
    expect([done.status, done.path, done.text]).toEqual([
      200,
      `/approve/${approval_id}`,
      expect.stringContaining("Sent"),
    ]);
    expect(done.forms.has(`/approve/${approval_id}`)).toBe(false);
    expect(replies).toMatchObject([{ final_response: text, assurance: "confirmed", approved_by: "ben" }]);
  });

  it("takes one of a question's options for an answer, and sends it only when it is approved as it stands", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const options = ["Yes, go on.", 'No <b>"wait"</b>'];
    const { message_id } = await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "Go?", options });
    const ben = await visitAs(hub, "ben");

    const list = await ben.open("/approve");
    const chosen = await ben.submit("/choose", { option: options[1] ?? "" });
    const before = await repliesOf(hub);
    await ben.submit(chosen.path);
    const again = await ben.post("/choose", new URLSearchParams({ ...list.forms.get("/choose") }).toString());

    expect(list.text).toContain("Yes, go on.");
    expect(chosen.text).toContain('No <b>"wait"</b>');
    expect(before).toEqual([]);
    expect(await repliesOf(hub)).toMatchObject([
      { id: message_id, final_response: options[1], assurance: "confirmed" },
    ]);
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("Not drafted")]);
  });

  it("shows what an answer refers to: the options, and what the question follows up on", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const first = await askAndSend(hub, "Never.", { question: "May it delete <b>staging</b>?" });
    const ben = await visitAs(hub, "ben");
    await ben.open(`/approve/${first.approval_id}`);
    await ben.submit(`/approve/${first.approval_id}`);
    const { message_id } = await hub.as("annbot").call("follow_up", {
      message_id: first.message_id,
      question: "Which then?",
      options: ["no: keep it", "yes: delete production"],
    });
    await hub.as("benbot").call("propose_response", { message_id, draft_text: "1" });
    const { approval_id } = await hub.as("benbot").call("send_response", { message_id });

    const shown = await ben.open(`/approve/${approval_id}`);

    expect(shown.text).toContain("To choose from: no: keep it yes: delete production");
    expect(shown.text).toContain("It follows up on this May it delete <b>staging</b>? Never.");
  });

  it("sends once however often the button is pressed, and shows the same page", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const ben = await visitAs(hub, "ben");
    const shown = await ben.open(`/approve/${approval_id}`);
    const form = new URLSearchParams(shown.forms.get(`/approve/${approval_id}`)).toString();

    const pressed = await Promise.all([1, 2, 3].map(() => ben.post(`/approve/${approval_id}`, form)));
    const again = await ben.post(`/approve/${approval_id}`, form);

    for (const page of pressed) expect([page.status, page.html]).toEqual([again.status, again.html]);
    expect(again.text).toContain("Sent");
    expect(await repliesOf(hub)).toHaveLength(1);
  });

  it("shows the text again when it was shown too long ago, or is another one by now", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id, message_id } = await askAndSend(hub, "the first text");
    const ben = await visitAs(hub, "ben");
    await ben.open(`/approve/${approval_id}`);

    hub.later({ minutes: 16 });
    const late = await ben.submit(`/approve/${approval_id}`);
    const changed = await hub.as("benbot").call("send_response", { message_id, final_text: "the second text" });
    const replaced = await ben.submit(`/approve/${approval_id}`);
    await ben.open(`/approve/${changed["approval_id"]}`);
    const sent = await ben.submit(`/approve/${changed["approval_id"]}`);

    expect([late.status, late.text]).toEqual([
      410,
      expect.stringContaining("the text is shown again. Nothing was sent yet"),
    ]);
    expect(late.text).toContain("the first text");
    expect([replaced.status, replaced.text]).toEqual([409, expect.stringContaining("nothing was sent")]);
    expect(replaced.forms.has(`/approve/${approval_id}`)).toBe(false);
    expect(sent.text).toContain("the second text");
    expect(await repliesOf(hub)).toMatchObject([{ final_response: "the second text" }]);
  });

  it("shares with whom was chosen, and takes no other choice for the one that was shown", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const ben = await visitAs(hub, "ben");
    const shown = await ben.open(`/approve/${approval_id}`);
    const choices = [...shown.html.matchAll(/<option value="([^"]+)"[^>]*>([^<]+)</g)].map(([, value = "", says]) => ({
      value,
      says,
    }));
    const [alone = "", everybody = ""] = choices.map(({ value }) => value);

    const swapped = await ben.submit(`/approve/${approval_id}`, { share: alone.replace(/ no$/, " organization") });
    const sent = await ben.submit(`/approve/${approval_id}`, { share: everybody });

    expect(choices.map(({ says }) => says)).toEqual([
      "Only ann",
      "ann and everybody in the organization",
      "ann and room lobby",
      "ann and room ops",
    ]);
    expect([swapped.status, sent.status]).toEqual([409, 200]);
    expect((await hub.as("cleo").call("search_answers", { query: "growing pauses" }))["count"]).toBe(1);
  });

  it("lets a draft be rejected, with a word for the agent and none for who asked", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const ben = await visitAs(hub, "ben");
    await ben.open(`/approve/${approval_id}`);

    const rejected = await ben.submit(`/approve/${approval_id}/reject`, { reason: "It is two since March." });
    const inbox = await hub.as("benbot").call("check_inbox");

    expect([rejected.status, rejected.text]).toEqual([200, expect.stringContaining("Rejected")]);
    expect(inbox["pending"]).toMatchObject([{ status: "drafted", rejected: "It is two since March." }]);
    expect(await repliesOf(hub)).toEqual([]);
  });

  it("asks who is signed out to sign in and come back, and knows nothing of others' requests", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const [ann, zoe] = [await visitAs(hub, "ann"), await visitAs(hub, "zoe")];
    const nobody = await visitAs(hub, "ben");
    nobody.cookies.clear();
    const unknown = "apr_0000000000000000000000";
    const told = ({ status, text }: { status: number; text: string }) => [
      status,
      text.replace(/apr_[\w-]+/g, "").replace(/Trace \S+/, ""),
    ];

    const away = await nobody.open(`/approve/${approval_id}`);

    expect(away.path).toBe(`/login?next=${encodeURIComponent(`/approve/${approval_id}`)}`);
    for (const other of [ann, zoe])
      expect(told(await other.open(`/approve/${approval_id}`))).toEqual(told(await other.open(`/approve/${unknown}`)));
    expect((await ann.open(`/approve/${approval_id}`)).status).toBe(404);
    expect((await ann.open(`/approve/${"x".repeat(300)}`)).status).toBe(404);
    expect((await ann.open("/approve/%ff")).status).toBe(400);
  });

  it("is pressed by no token, wherever it is put", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const ben = await visitAs(hub, "ben");
    const shown = await ben.open(`/approve/${approval_id}`);
    const form = shown.forms.get(`/approve/${approval_id}`) ?? {};
    const tokens = ["ben", "benbot", "boss", "dora"].map((handle) => hub.token(handle));
    const [session] = (await hub.as("ben").call("list_sessions"))["sessions"] as { session_id: string }[]; // of the operation

    const pressed = [];
    for (const secret of [...tokens, session?.session_id ?? "", "x".repeat(43)]) {
      for (const cookies of [{}, { crewroom: secret }, { "__Host-crewroom": secret }]) {
        const forger = makeVisitor(hub, { follows: false, cookies });
        const own = (await forger.open("/login")).forms.get("/login")?.["form_token"] ?? "";
        const body = new URLSearchParams({ ...form, form_token: own }).toString();
        const { status, headers } = await forger.post(`/approve/${approval_id}`, body, {
          authorization: `Bearer ${secret}`,
        });
        pressed.push(`${status} ${headers.get("location")}`);
      }
    }

    expect(new Set(pressed)).toEqual(new Set([`303 /login?next=${encodeURIComponent(`/approve/${approval_id}`)}`]));
    expect(await repliesOf(hub)).toEqual([]);
  });

  it("offers no button below what the organization asks for, and says how to get there", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const ben = await visitAs(hub, "ben");
    const shown = await ben.open(`/approve/${approval_id}`);
    const form = shown.forms.get(`/approve/${approval_id}`) ?? {};
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`update persons set exposed_at = ${tx.now} where handle = 'ben'`),
    );

    const exposed = await ben.open(`/approve/${approval_id}`);
    const pressed = await ben.post(`/approve/${approval_id}`, new URLSearchParams(form).toString());
    await askForLevel(hub, "prompted");
    const enough = await ben.open(`/approve/${approval_id}`);

    expect(exposed.html).not.toContain(">Approve and send<");
    expect(exposed.html).toContain(`href="/password?next=%2Fapprove%2F${approval_id}"`);
    expect([pressed.status, await repliesOf(hub)]).toEqual([403, []]);
    expect(enough.text).toContain("Counts as prompted");
    expect(enough.html).toContain(">Approve and send<");
  });

  it("marks characters that show nothing and addresses that lead elsewhere", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub, "pay\u200b 1\u202e0 at https://bаnk.example");
    const ben = await visitAs(hub, "ben");

    const shown = await ben.open(`/approve/${approval_id}`);

    expect(shown.text).toContain("pay\\u{200b} 1\\u{202e}0 at https://bаnk.exampleleads to xn--bnk-6cd.example");
    expect(shown.text).toContain("turn the reading direction");
  });
});

onEachStore("the page of what waits", (start) => {
  it("lists what is to be approved, then what is to be answered, and nothing of others", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = await visitAs(hub, "ben");

    const empty = await ben.open("/approve");
    const { approval_id } = await askAndSend(hub, `${"word ".repeat(100)}the end of it`);
    await hub.as("cleo").call("ask_person", { to_user_id: "ben", question: "Who looks after staging?" });
    const full = await ben.open("/approve");
    const others = await (await visitAs(hub, "ann")).open("/approve");

    expect(empty.text).toContain("Nothing waits for you");
    expect(full.html).toContain(`href="/approve/${approval_id}"`);
    expect(full.text).toContain("Who looks after staging? from cleo");
    expect(full.text).not.toContain("the end of it");
    expect(others.text).toContain("Nothing waits for you");
  });

  it("goes on page by page without leaving anything out", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let number = 1; number <= 3; number++)
      await hub
        .as("cleo")
        .call("ask_person", { to_user_id: "ben", question: `Long question ${number}? ${"漢".repeat(16_000)}` });
    const ben = await visitAs(hub, "ben");
    const seen = new Set<string>();

    let path: string | undefined = "/approve";
    for (let page = 0; path !== undefined && page < 10; page++) {
      const shown = await ben.open(path);
      for (const [found] of shown.text.matchAll(/Long question \d/g)) seen.add(found);
      path = /href="(\/approve\?after=\d+)"/.exec(shown.html)?.[1];
    }

    expect([path, [...seen].toSorted((a, b) => a.localeCompare(b))]).toEqual([
      undefined,
      ["Long question 1", "Long question 2", "Long question 3"],
    ]);
  });
});
