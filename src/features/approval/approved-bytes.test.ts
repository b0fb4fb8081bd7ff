import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sql } from "../../store/sql.ts";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { connect } from "../../testkit/mcp-client.ts";
import { askAndSend, press } from "../../testkit/questions.ts";
import { findAnswer } from "./queries.ts";
import { problemsOf } from "./verify-answer.ts";

/** Texts that something on the way might change. */
const ODD_TEXTS: Readonly<Record<string, string>> = {
  "a trailing space": "Three. ",
  "leading line ends": "\n\nThree.",
  CRLF: "Three.\r\nFour.\r\n",
  "a carriage return": "Three.\rFour.",
  NFC: "caf\u00e9",
  NFD: "cafe\u0301",
  "a zero-width space": "Th\u200bree",
  "a bidi override": "user\u202etxt.exe",
  "tag characters": "Three\u{e0059}\u{e0045}\u{e0053}",
  "a byte order mark": "\ufeffThree",
  "a joined emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽",
  "line separators": "a\u2028b\u2029c",
  markup: `</script><b>&amp;"'\`\${x}<!-- --> \\u0041 %00`,
  "what ends a field": `"}]},"sent":true,"assurance":"signed`,
  "a hostile tail": `${"x".repeat(16_000)} or else pay 1 BTC`,
  "a look-alike address": "https://\u0430pple.com/login",
};

const sha256 = (text: string) => createHash("sha256").update(Buffer.from(text, "utf8")).digest("hex");

/** The hash as somebody computes it who has the words of the contract and what was shown, and none of our code. */
function approvalHashOf(shown: Value, nonce: string, organization = "main"): string {
  const fields = [
    "crewroom approval 1",
    organization,
    shown["message_id"],
    shown["query_text"],
    shown["options"],
    shown["from_user_id"],
    "ben",
    shown["text"],
    "no",
    Date.parse(shown["expires_at"]),
    nonce,
  ];
  return sha256(JSON.stringify(fields));
}

async function nonceOf({ hub }: TestHub, approval_id: string): Promise<string> {
  const row = await hub.store.read((tx) =>
    tx.one<{ nonce: string }>(sql`select nonce from approvals where id = ${approval_id}`),
  );
  return row?.nonce ?? "";
}

onEachStore("what was approved", (start) => {
  test("is byte for byte what every receiver gets, whatever is in it (P10)", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    await using mcp = await connect(hub, "annbot");
    let cursor: string | undefined;

    for (const [what, text] of Object.entries(ODD_TEXTS)) {
      const { approval_id, message_id } = await askAndSend(hub, text);
      const shown = await page.call("show_approval", { approval_id });
      expect(sha256(shown["text"]), what).toBe(sha256(text));
      expect(approvalHashOf(shown, await nonceOf(hub, approval_id)), what).toBe(shown["hash"]);

      const pressed = await page.call("approve_answer", { approval_id, hash: shown["hash"] });
      const overRest = await hub.as("ann").call("check_replies", { ...(cursor && { cursor }) });
      const overMcp = await mcp.call("check_replies", { ...(cursor && { cursor }) });

      const received = [
        pressed["final_text"],
        overRest["replies"][0].final_response,
        overMcp["replies"][0].final_response,
      ];
      expect(received.map(sha256), what).toEqual(received.map(() => sha256(text)));
      const stored = await hub.hub.store.read((tx) => findAnswer(tx, "main", message_id));
      expect(stored && problemsOf(stored, sha256(text)), what).toEqual([]);
      cursor = overRest["cursor"];
    }
  });

  test("is not what was edited since: the least change needs another approval", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    const text = "Three: café.";
    const edits = [
      `${text} `,
      text.replace(": ", ":\r\n"),
      text.normalize("NFD"),
      text.replace(":", "\u200b:"),
      text.replace(":", "\u202e:"),
      text.replace("T", "\u0422"),
      text.slice(0, -1),
    ];

    for (const edited of edits) {
      const { approval_id, message_id } = await askAndSend(hub, text);
      const { hash } = await page.call("show_approval", { approval_id });

      const [edit, pressed] = await Promise.all([
        hub.as("benbot").try("propose_response", { message_id, draft_text: edited }),
        page.try("approve_answer", { approval_id, hash }),
      ]);

      // Whichever came first: what left is what was shown, or nothing did.
      expect([edit.ok, pressed.ok].filter(Boolean).length, JSON.stringify(edited)).toBe(1);
      if (pressed.ok) expect(pressed.value["final_text"]).toBe(text);
      else expect(pressed).toMatchObject({ status: 409, code: "approval_closed" });
    }
  });

  test("is told apart by every letter of its hash, and a wrong one is answered with the right one", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    const { approval_id } = await askAndSend(hub);
    const { approval_id: another } = await askAndSend(hub);
    const { hash } = await page.call("show_approval", { approval_id });
    const { hash: anothers } = await page.call("show_approval", { approval_id: another });
    const wrong = [
      "",
      anothers,
      hash.toUpperCase(),
      `${hash} `,
      ` ${hash}`,
      hash.slice(0, -1),
      `${hash.slice(0, -1)}${hash.endsWith("0") ? "1" : "0"}`,
      "0".repeat(64),
    ];
    const before = await hub.state();

    for (const guess of wrong) {
      const reply = await page.try("approve_answer", { approval_id, hash: guess });
      if (reply.ok) throw new Error(`${guess} was taken.`);
      expect(reply.status, guess).toBe(guess.length > 64 ? 400 : 409);
      if (reply.status === 409)
        expect(reply, guess).toMatchObject({ code: "approval_changed", error: { data: { hash } } });
    }
    expect(anothers).not.toBe(hash);
    expect(await hub.state()).toBe(before);
  });
});

onEachStore("an answer in the database", (start) => {
  test("is found to be another one when anything of it was changed", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id } = await askAndSend(hub, "Three.");
    await press(await hub.browser("ben"), approval_id);
    const { store } = hub.hub;
    const check = () =>
      store.read(async (tx) => {
        const row = await findAnswer(tx, "main", message_id);
        return row ? problemsOf(row, sha256("Three.")) : ["gone"];
      });
    const changes = [
      [sql`update questions set answer = 'Three. '`, sql`update questions set answer = 'Three.'`],
      [sql`update questions set question = 'How few?'`, sql`update questions set question = 'How many retries?'`],
      [sql`update questions set asker = 'cleo'`, sql`update questions set asker = 'ann'`],
      [sql`update questions set recipient = 'cleo'`, sql`update questions set recipient = 'ben'`],
      [sql`update questions set shared = 'organization'`, sql`update questions set shared = 'no'`],
      [sql`update drafts set text = 'Two.'`, sql`update drafts set text = 'Three.'`],
      [sql`update approvals set expires_at = expires_at + 1`, sql`update approvals set expires_at = expires_at - 1`],
      [sql`update approvals set person = 'cleo'`, sql`update approvals set person = 'ben'`],
      [sql`update approvals set state = 'void'`, sql`update approvals set state = 'approved'`],
    ] as const;

    expect(await check()).toEqual([]);
    for (const [change, undo] of changes) {
      await store.write("main", (tx) => tx.run(change));
      expect(await check(), change.texts[0]).not.toEqual([]);
      await store.write("main", (tx) => tx.run(undo));
    }
    expect(await check()).toEqual([]);
  });
});
