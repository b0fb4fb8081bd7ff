import fc from "fast-check";
import { expect, test } from "vitest";
import { sweepQuestions } from "../../housekeeping.ts";
import { sql } from "../../store/sql.ts";
import type { Actor } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { type Action, decide, isOpen, type Side, standingAt, type State } from "./model.ts";

const PEOPLE = ["ben", "cleo", "dora"] as const;
type Handle = (typeof PEOPLE)[number];

type Command =
  | { readonly do: "draft"; readonly text: string }
  | { readonly do: "send"; readonly text: string | undefined }
  | { readonly do: "press" | "reject" | "sleep" | "sweep" | "spy" }
  | { readonly do: "decline" | "withdraw"; readonly by: Side }
  | { readonly do: "redirect"; readonly to: Handle };

const text = fc.constantFrom("draft one", "draft two");
const by = fc.constantFrom<Side>("asker", "recipient");
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("draft" as const), text }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("send" as const), text: fc.option(text, { nil: undefined }) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("press" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("reject" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("decline" as const, "withdraw" as const), by }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("redirect" as const), to: fc.constantFrom(...PEOPLE) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("spy" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("sleep" as const, "sweep" as const) }) },
);

/** A question as the model has it. */
interface World {
  readonly state: State;
  readonly recipient: Handle;
  /** The draft that counts. */
  readonly text: string | null;
  readonly answer: string | null;
}

/** What the model foresees: the next state, or that nothing changes. */
function foresee(world: World, command: Command): World {
  switch (command.do) {
    case "draft":
      return command.text === world.text && isOpen(world.state)
        ? world
        : after(world, "draft", "recipient", { text: command.text });
    case "send": {
      if (world.text === null) return world;
      const drafted = command.text === undefined ? world : foresee(world, { do: "draft", text: command.text });
      return after(drafted, "request", "recipient");
    }
    case "press":
      return after(world, "approve", "recipient", { answer: world.text });
    case "reject":
      return after(world, "reject", "recipient");
    case "decline":
    case "withdraw":
      return after(world, command.do, command.by);
    case "redirect":
      return command.to === world.recipient
        ? world
        : after(world, "redirect", "recipient", { recipient: command.to, text: null });
    case "sleep":
      return isOpen(world.state) ? { ...world, state: "expired" } : world;
    case "sweep":
    case "spy":
      return world;
  }
}

function after(world: World, action: Action, side: Side, change: Partial<World> = {}): World {
  const decision = decide({ state: world.state, expires_at: Infinity }, action, new Set([side]), 0);
  return decision.allowed ? { ...world, ...change, state: decision.next } : world;
}

/** Everybody of the question, on one hub. */
class Stage {
  readonly hub: TestHub;
  readonly pages: ReadonlyMap<Handle, Actor>;
  constructor(hub: TestHub, pages: ReadonlyMap<Handle, Actor>) {
    this.hub = hub;
    this.pages = pages;
  }

  /** Does it on the hub, whatever the hub says to it. */
  async perform(message_id: number, { recipient }: World, command: Command): Promise<void> {
    const side = (one: Side) => this.hub.as(one === "asker" ? "ann" : recipient);
    switch (command.do) {
      case "draft":
        return void (await side("recipient").try("propose_response", { message_id, draft_text: command.text }));
      case "send":
        return void (await side("recipient").try("send_response", {
          message_id,
          ...(command.text && { final_text: command.text }),
        }));
      case "press":
      case "reject":
        return this.decide(message_id, recipient, command.do);
      case "decline":
        return void (await side(command.by).try("decline_question", { message_id }));
      case "withdraw":
        return void (await side(command.by).try("withdraw_question", { message_id }));
      case "redirect":
        return void (await side("recipient").try("redirect_question", { message_id, to_user_id: command.to }));
      case "sleep":
        return this.hub.later({ days: 8 });
      case "sweep":
        return sweepQuestions(this.hub.hub.core);
      case "spy":
        return this.spy(message_id, recipient);
    }
  }

  /** Presses on the newest request there ever was, whatever has become of it. */
  private async decide(message_id: number, recipient: Handle, how: "press" | "reject") {
    const page = this.pages.get(recipient);
    const newest = await this.hub.hub.store.read((tx) =>
      tx.one<{ id: string }>(sql`
        select id from approvals where organization = 'main' and question = ${message_id} and person = ${recipient}
        order by revision desc, requested_at desc, state <> 'open' limit 1`),
    );
    if (!page || !newest) return;
    const { id: approval_id } = newest;
    if (how === "reject") return void (await page.try("reject_draft", { approval_id }));
    const shown = await page.call("show_approval", { approval_id });
    await page.try("approve_answer", { approval_id, hash: shown["hash"] });
  }

  /** Somebody on neither side tries everything, and is told that there is nothing. */
  private async spy(message_id: number, recipient: Handle) {
    for (const handle of [...PEOPLE, "zoe"].filter((one) => one !== recipient)) {
      const spy = this.hub.as(handle);
      const replies = [
        await spy.try("propose_response", { message_id, draft_text: "mine" }),
        await spy.try("send_response", { message_id }),
        await spy.try("decline_question", { message_id }),
        await spy.try("withdraw_question", { message_id }),
        await spy.try("redirect_question", { message_id, to_user_id: handle }),
        await spy.try("follow_up", { message_id, question: "and?" }),
      ];
      expect(replies.map((reply) => reply.ok || reply.code)).toEqual(replies.map(() => "question_not_found"));
    }
  }

  /** What is there, by the tables and by what each person can read. */
  async look(message_id: number) {
    const { row, open } = await this.hub.hub.store.read(async (tx) => {
      const row = await tx.one<World & { expires_at: number; draft_text: string | null; closed_at: number | null }>(sql`
        select q.state, q.recipient, q.answer, q.expires_at, q.closed_at, d.text as draft_text
        from questions q
        left join drafts d on d.organization = q.organization and d.question = q.number and d.revision = q.draft
        where q.organization = 'main' and q.number = ${message_id}`);
      if (!row) throw new Error("The question is gone.");
      const requests = await tx.all(sql`
        select id from approvals
        where organization = 'main' and question = ${message_id} and state = 'open' and expires_at > ${tx.now}`);
      return { row: { ...row, state: standingAt(row, tx.now) }, open: requests.length };
    });
    const inboxes = await Promise.all(
      PEOPLE.map(async (handle) => {
        const { pending } = await this.hub.as(handle).call("check_inbox", { limit: 100 });
        return pending.some((item: { id: number }) => item.id === message_id) ? [handle] : [];
      }),
    );
    const { state, recipient, answer, draft_text: text } = row;
    return { world: { state, recipient, text, answer }, open, inboxes: inboxes.flat() };
  }
}

onEachStore("a question", (start, kind) => {
  test("follows its model in random sequences of what its people do, and by its deadline", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const pages = new Map<Handle, Actor>();
    for (const handle of PEOPLE) pages.set(handle, await hub.browser(handle));
    const stage = new Stage(hub, pages);

    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 16 }), async (commands) => {
        const asked = await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "What is it?" });
        let world: World = { state: "pending", recipient: "ben", text: null, answer: null };
        for (const step of commands) {
          const next = foresee(world, step);
          await stage.perform(asked["message_id"], world, step);

          const told = `${JSON.stringify(step)} on ${JSON.stringify(world)}`;
          expect(await stage.look(asked["message_id"]), told).toEqual({
            world: next,
            open: next.state === "awaiting_approval" ? 1 : 0,
            inboxes: isOpen(next.state) ? [next.recipient] : [],
          });
          world = next;
        }
        const seen = JSON.stringify(await hub.as("ann").call("check_replies", { limit: 100 }));
        expect(seen.includes("draft_response")).toBe(false);
        await hub.as("ann").try("withdraw_question", { message_id: asked["message_id"] });
        hub.later({ seconds: 1 });
      }),
      { numRuns: kind === "sqlite" ? 60 : 20, endOnFailure: false },
    );
    // Every answer is what was approved, and was approved by its recipient, once.
    const answers = await hub.hub.store.read((tx) =>
      tx.all<{ answer: string; text: string; person: string; recipient: string }>(sql`
        select q.answer, q.recipient, d.text, a.person
        from questions q
        left join approvals a on a.organization = q.organization and a.id = q.approval and a.state = 'approved'
        left join drafts d on d.organization = q.organization and d.question = q.number and d.revision = a.revision
        where q.answer is not null`),
    );
    expect(answers.length).toBeGreaterThan(0);
    for (const { answer, text, person, recipient } of answers) expect([answer, recipient]).toEqual([text, person]);
  }, 180_000);
});
