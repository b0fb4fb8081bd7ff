// How long news are on their way from who makes them to who waits for them in wait_for_change. All ways in turn, sample by
// sample, beside a long poll on a bare node:http server.
import { setTimeout as pause } from "node:timers/promises";
import { type Actor, makeActor, makeBrowser } from "../src/testkit/actor.ts";
import { line, median, shareOf } from "./figures.ts";
import type { Child } from "./processes.ts";
import { answerTo, questionText } from "./words.ts";

const WAYS = ["bare", "mention", "asked", "pressed"] as const;
type WayName = (typeof WAYS)[number];
const NAMES: Record<WayName, string> = {
  bare: "bare node:http long poll",
  mention: "post_message that mentions",
  asked: "asked: ask_person",
  pressed: "pressed: approve_answer",
};

/** In ms, until the waiting one has its answer: from the call that makes the news, and from that call's own answer. */
interface Way {
  readonly fromCall: number;
  readonly fromAnswer: number;
}
type Sample = Record<WayName, Way>;

/** Long enough (ms) for a wait to have reached the server and stand there. */
const SETTLE = 25;

/** Prints the ways of one hub: `samples` of each in a round, medians of the rounds' ratios. */
export async function compareWays(hub: Child, poll: Child, { rounds, samples }: { rounds: number; samples: number }) {
  const people = peopleOf(hub, poll);
  for (const waiting of [people.asked, people.asker]) await catchUp(waiting);
  const measured: Sample[][] = [];
  await roundOf(people, Math.ceil(samples / 4)); // warming up
  for (let round = 0; round < rounds; round += 1) measured.push(await roundOf(people, samples));

  console.log(
    line("", ["p50 ÷ bare", "p99 ÷ bare", "÷ mention p50", "÷ mention p99", "after, p50 ms", "after, p99 ms"]),
  );
  for (const name of WAYS) {
    const ratio = (to: WayName, share: number) =>
      median(measured.map((round) => called(round, name, share) / called(round, to, share)));
    const after = (share: number) => median(measured.map((round) => answered(round, name, share)));
    const cells = [
      ratio("bare", 0.5),
      ratio("bare", 0.99),
      ratio("mention", 0.5),
      ratio("mention", 0.99),
      after(0.5),
      after(0.99),
    ];
    console.log(
      line(
        NAMES[name],
        cells.map((cell) => cell.toFixed(2)),
      ),
    );
  }
}

function called(round: readonly Sample[], name: WayName, share: number): number {
  return shareOf(
    round.map((sample) => sample[name].fromCall),
    share,
  );
}

function answered(round: readonly Sample[], name: WayName, share: number): number {
  return shareOf(
    round.map((sample) => sample[name].fromAnswer),
    share,
  );
}

type People = ReturnType<typeof peopleOf>;

function peopleOf(hub: Child, poll: Child) {
  const url = `http://127.0.0.1:${hub.ready.port}`;
  const bare = `http://127.0.0.1:${poll.ready.port}`;
  const token = (name: string) => hub.ready.tokens[name] ?? "";
  return {
    speaker: makeActor(bare, "speaker", "none"),
    listener: makeActor(bare, "listener", "none"),
    asker: makeActor(url, "asker0bot", token("asker0bot")),
    asked: makeActor(url, "asked0bot", token("asked0bot")),
    page: makeBrowser(url, "asked0", token("asked0 web")),
  };
}

async function roundOf(people: People, samples: number): Promise<Sample[]> {
  const round: Sample[] = [];
  for (let index = 0; index < samples; index += 1) round.push(await takeSample(people, index));
  return round;
}

/** A post on the bare server, a mention, and a whole question with its answer. */
async function takeSample({ speaker, listener, asker, asked, page }: People, index: number): Promise<Sample> {
  const body = `@asked0bot step ${index} is done; look at it, please.`;
  const bare = await timeWay(listener, () => speaker.call("post_message", { body }));
  const mention = await timeWay(asked, () => asker.call("post_message", { body }));
  const question = { to_user_id: "asked0", question: questionText(index) };
  const asking = await timeWay(asked, () => asker.call("ask_person", question));
  const { message_id } = asking.answer;
  await asked.call("propose_response", { message_id, draft_text: answerTo(index) });
  const { approval_id } = await asked.call("send_response", { message_id });
  const { hash } = await page.call("show_approval", { approval_id });
  const pressed = await timeWay(asker, () => page.call("approve_answer", { approval_id, hash }));
  return { bare, mention, asked: asking, pressed };
}

/** Reads all that is there, so that a wait has only what is to come. */
async function catchUp(waiting: Actor) {
  while ((await waiting.call("whats_new"))["has_more"] === true);
}

/** Lets `waiting` wait from now on, makes the news, and tells how long they were on their way. */
async function timeWay<Answer>(waiting: Actor, makeNews: () => Promise<Answer>): Promise<Way & { answer: Answer }> {
  const { cursor } = await waiting.call("whats_new");
  const wait = waiting
    .call("wait_for_change", { timeout_s: 30, ...(cursor && { since_id: cursor }) })
    .then(({ changed }) => ({ changed: changed === true, at: performance.now() }));
  await pause(SETTLE);
  const called = performance.now();
  const answer = await makeNews();
  const answered = performance.now();
  const { changed, at } = await wait;
  if (!changed || at < called) throw new Error(`${waiting.handle} did not wait for what was to come.`);
  return { fromCall: at - called, fromAnswer: at - answered, answer };
}
