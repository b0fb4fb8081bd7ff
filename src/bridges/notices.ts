import { type Outbound, OutboundProblem, type Sent } from "../access/outbound.ts";
import type { PushKey } from "../access/push-key.ts";
import { type Seal, SealBroken } from "../access/seal.ts";
import { DELIVERY_MS, DeliveryProblem, type FollowerKind } from "./follower.ts";
import type { FollowedEvent } from "./follower-queries.ts";
import { disableNotice, findNotice, noteNoticeProblem, type ToldByRow } from "./notice-queries.ts";

export interface NoticeParts {
  readonly outbound: Outbound;
  readonly seal: Seal;
  readonly pushKey: () => PushKey;
  /** Where this hub is reached, without a slash at the end. */
  readonly url: () => string;
}

/** How long (ms) an address may fail in a row before it is disabled. What is older than this is told to nobody. */
const PATIENCE = 24 * 3_600_000;
/** What push services answer for a browser that subscribes no more, and others for what was removed. */
const GONE: ReadonlySet<number | undefined> = new Set([404, 410]);

/** Tells persons who are away that something waits: which page to open, and nothing that others wrote. */
export function notices(parts: NoticeParts): FollowerKind {
  return {
    kind: "notice",
    patience: PATIENCE,
    async open(tx, { organization, id }) {
      const row = await findNotice(tx, organization, id);
      if (!row) return undefined;
      const wants = (event: FollowedEvent) =>
        event.at > tx.now - PATIENCE && sentenceOf(event, row.person) !== undefined;
      return { wants, deliver: (event) => tell(parts, row, event) };
    },
    noteProblem: (tx, { organization, id }, problem) => noteNoticeProblem(tx, organization, id, problem),
    async giveUp(tx, { organization, id }, problem) {
      await disableNotice(tx, organization, id, problem);
      return [{ kind: "notice_disabled", detail: `${id}: ${problem}` }];
    },
  };
}

/** What is said of an event to a person; undefined when it need not know. No names and no texts: others read along. */
function sentenceOf({ kind, question, actor, concerns }: FollowedEvent, person: string): string | undefined {
  if (actor === person) return undefined;
  if (kind === "question_asked" && concerns.includes(person)) return `Question q${question} waits for you.`;
  // Those it concerns are its asker and the one that it was handed on to.
  if (kind === "question_redirected" && concerns.at(-1) === person) return `Question q${question} waits for you.`;
  if (kind === "approval_requested") return `A draft for question q${question} waits for your approval.`;
  if (kind === "question_answered" && concerns.includes(person)) return `Your question q${question} was answered.`;
  if (kind === "question_declined" && concerns.includes(person)) return `Your question q${question} was declined.`;
  return undefined;
}

async function tell(
  { outbound, seal, pushKey, url }: NoticeParts,
  row: ToldByRow,
  event: FollowedEvent,
): Promise<void> {
  try {
    const address = new URL(seal.open(row.address, `notice/${row.id}`));
    // It leads to wherever the person begins, and approves nothing by being opened.
    const page = `${url()}/waiting`;
    const said = { sentence: sentenceOf(event, row.person) ?? "", page };
    const sent = row.channel === "web_push" ? push(pushKey(), address, url()) : SAY[row.channel](said);
    await outbound.post(address, sent, DELIVERY_MS);
  } catch (error) {
    if (!(error instanceof OutboundProblem || error instanceof SealBroken)) throw error;
    const final = error instanceof OutboundProblem && GONE.has(error.status);
    throw new DeliveryProblem(error.message, { final, cause: error });
  }
}

interface Said {
  readonly sentence: string;
  readonly page: string;
}

const SAY = {
  /** @source ntfy: "Publishing": title and click address as headers, the text as body. */
  ntfy: ({ sentence, page }: Said): Sent => ({
    headers: { "content-type": "text/plain; charset=utf-8", title: "Crewroom", click: page },
    body: `${sentence} Open ${page}`,
  }),
  /** @source Slack: "Sending messages using incoming webhooks"; Mattermost, Discord's /slack and others take the same. */
  slack: ({ sentence, page }: Said): Sent => ({
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: `${sentence} Open ${page}` }),
  }),
} as const;

/** How long (s) a push service keeps it for a browser that is off. */
const PUSH_SECONDS = 86_400;

/** Without content, so that nothing is to be encrypted: the browser's own script knows what to say. @source RFC 8030 */
function push(key: PushKey, address: URL, hub: string): Sent {
  // Push services want a contact; some refuse one that is not https, and then the hub has no public address anyway.
  const headers = {
    authorization: key.authorize(address, hub),
    ttl: String(PUSH_SECONDS),
    urgency: "high",
    topic: "waits",
  };
  return { headers, body: "" };
}
