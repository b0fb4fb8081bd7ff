// What the calls of a question cost, from ask_person to check_replies: beside post_message and beside a bare echo whose answer
// has the same size. Each round asks, drafts, sends and approves a batch of questions, a stage at a time.
import { type Actor, makeActor, makeBrowser } from "../src/testkit/actor.ts";
import { wireOf } from "./calls.ts";
import { line, median } from "./figures.ts";
import { type Child, loadOn, type openEchoes } from "./processes.ts";
import { answerTo, questionText } from "./words.ts";

/** Fewer than may wait for one person, and for one member's approval. */
const QUESTIONS_A_PAIR = 16;
const PAGE = { limit: 5 };

/** Each call, with roughly how large (bytes) its answer is. */
const ANSWER_BYTES = {
  post_message: 300,
  ask_person: 700,
  check_inbox: 3_000,
  propose_response: 500,
  send_response: 1_000,
  approve_answer: 500,
  check_replies: 4_000,
} as const;
type Name = keyof typeof ANSWER_BYTES;
const NAMES = Object.keys(ANSWER_BYTES) as Name[]; // its own keys, just above

/** Seconds, and µs of the server's processor time; the call, and right after it what it is compared with. */
interface Measured {
  readonly calls: number;
  readonly hub: { readonly seconds: number; readonly cpu: number };
  readonly post: { readonly seconds: number; readonly cpu: number };
  readonly echo: { readonly seconds: number; readonly cpu: number };
}
type Round = Record<Name, Measured>;

export interface Bench {
  readonly hub: Child;
  readonly load: Child;
  readonly echoes: ReturnType<typeof openEchoes>;
  /** How many ask, and as many callers there are at a time. */
  readonly pairs: number;
}

/** Prints what the calls cost one hub, medians of the rounds. */
export async function compareCalls(bench: Bench, rounds: number) {
  const measured: Round[] = [];
  await measureRound(bench, 0); // warming up
  for (let round = 1; round <= rounds; round += 1) measured.push(await measureRound(bench, round));

  console.log(line("", ["calls/s ÷ echo", "CPU ÷ echo", "calls/s ÷ post", "CPU ÷ post", "CPU µs a call"]));
  for (const name of NAMES) {
    const of = (pick: (call: Measured) => number) => median(measured.map((round) => pick(round[name])));
    const cells = [
      of(({ hub, echo }) => echo.seconds / hub.seconds).toFixed(2),
      of(({ hub, echo }) => hub.cpu / echo.cpu).toFixed(1),
      of(({ hub, post }) => post.seconds / hub.seconds).toFixed(2),
      of(({ hub, post }) => hub.cpu / post.cpu).toFixed(1),
      of(({ hub, calls }) => hub.cpu / calls).toFixed(0),
    ];
    console.log(line(name, cells));
  }
}

/** Every stage has as many calls as there are questions. */
async function measureRound(bench: Bench, round: number): Promise<Round> {
  const pairs = Array.from({ length: bench.pairs }, (_, index) => pairOf(bench.hub, index));
  const calls = pairs.length * QUESTIONS_A_PAIR;
  const posts = pairs.map(({ asker, to }) =>
    requestOf("post_message", { body: `@${to} ${questionText(round)}` }, asker),
  );
  const measure = (name: Name, requests: readonly string[]) => measureCalls(bench, { name, calls, requests, posts });
  const texts = Array.from({ length: QUESTIONS_A_PAIR }, (_, index) => round * QUESTIONS_A_PAIR + index);

  const post_message = await measure("post_message", posts);
  const asks = texts.flatMap((text) =>
    pairs.map(({ asker, to }) => requestOf("ask_person", { to_user_id: to, question: questionText(text) }, asker)),
  );
  const ask_person = await measure("ask_person", asks);
  const check_inbox = await measure(
    "check_inbox",
    pairs.map(({ bot }) => requestOf("check_inbox", PAGE, bot)),
  );
  const waiting = (await Promise.all(pairs.map(listWaiting))).flat();
  const propose_response = await measure(
    "propose_response",
    waiting.map(({ bot, message_id }) =>
      requestOf("propose_response", { message_id, draft_text: answerTo(message_id) }, bot),
    ),
  );
  const send_response = await measure(
    "send_response",
    waiting.map(({ bot, message_id }) => requestOf("send_response", { message_id }, bot)),
  );
  const shown = (await Promise.all(pairs.map(showAll))).flat();
  const approve_answer = await measure("approve_answer", shown);
  const check_replies = await measure(
    "check_replies",
    pairs.map(({ asker }) => requestOf("check_replies", PAGE, asker)),
  );
  return { post_message, ask_person, check_inbox, propose_response, send_response, approve_answer, check_replies };
}

/** Who asks, and who is asked: the agents of both, the person, and its browser. */
interface Pair {
  readonly asker: Actor;
  readonly to: string;
  readonly bot: Actor;
  readonly page: Actor;
}

function pairOf({ ready: { port, tokens } }: Child, index: number): Pair {
  const url = `http://127.0.0.1:${port}`;
  const agent = (handle: string) => makeActor(url, handle, tokens[handle] ?? "");
  const to = `asked${index}`;
  return {
    asker: agent(`asker${index}bot`),
    to,
    bot: agent(`${to}bot`),
    page: makeBrowser(url, to, tokens[`${to} web`] ?? ""),
  };
}

/** The questions that wait, one pair's after the other's. */
async function listWaiting({ bot }: Pair): Promise<{ bot: Actor; message_id: number }[]> {
  const { pending } = await bot.call("check_inbox", { limit: 100 });
  return (pending as { id: number }[]).map(({ id }) => ({ bot, message_id: id })); // the operation's own answer
}

/** Opens each page that waits for the person, and gives what its button would send. */
async function showAll({ page }: Pair): Promise<string[]> {
  const { approvals } = await page.call("list_approvals", { limit: 100 });
  const requests: string[] = [];
  for (const { approval_id } of approvals as { approval_id: string }[]) {
    // the operation's own answer
    const { hash } = await page.call("show_approval", { approval_id });
    requests.push(pressOf({ approval_id, hash }, page));
  }
  return requests;
}

function requestOf(operation: string, input: object, { token }: Actor): string {
  return wireOf(`/api/${operation}`, input, [`authorization: Bearer ${token}`]);
}

/** As a browser sends it from a page of the hub. */
function pressOf(input: object, { token }: Actor): string {
  return wireOf("/api/approve_answer", input, [`cookie: crewroom=${token}`, "sec-fetch-site: same-origin"]);
}

interface Stage {
  readonly name: Name;
  readonly calls: number;
  readonly requests: readonly string[];
  /** What the same people post. */
  readonly posts: readonly string[];
}

async function measureCalls(bench: Bench, { name, calls, requests, posts }: Stage): Promise<Measured> {
  const { hub, load, echoes, pairs } = bench;
  const echoServer = await echoes.of(ANSWER_BYTES[name]);
  const ours = await loadOn(load, hub, { callers: pairs, calls, requests });
  const post = await loadOn(load, hub, { callers: pairs, calls, requests: posts });
  const echo = await loadOn(load, echoServer, { callers: pairs, calls, requests });
  if (ours.failed + post.failed > 0) throw new Error(`${name}: ${ours.failed + post.failed} calls failed`);
  return { calls, hub: ours, post, echo };
}
