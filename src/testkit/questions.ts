import { sql } from "../store/sql.ts";
import type { Actor, Reply, Value } from "./actor.ts";
import type { TestHub } from "./hub.ts";

/** ann's agent asks ben, whose agent drafts and sends: the draft waits for ben. */
export async function askAndSend(hub: TestHub, text = "Three, with growing pauses.", more: Value = {}) {
  const asked = await hub
    .as("annbot")
    .call("ask_person", { to_user_id: "ben", question: "How many retries?", ...more });
  const message_id: number = asked["message_id"];
  const benbot = hub.as("benbot");
  await benbot.call("propose_response", { message_id, draft_text: text });
  const sent = await benbot.call("send_response", { message_id });
  return { message_id, approval_id: String(sent["approval_id"]), sent };
}

/** A person opens the page of a request for approval and presses the button under what it was shown. */
export async function press(page: Actor, approval_id: string, more: Value = {}): Promise<Reply> {
  const shown = await page.call("show_approval", { approval_id });
  return page.try("approve_answer", { approval_id, hash: shown["hash"], ...more });
}

/** What the asker's side has been told, oldest news first. */
export async function repliesOf(hub: TestHub, handle = "annbot"): Promise<Value[]> {
  return (await hub.as(handle).call("check_replies"))["replies"] as Value[]; // the operation's own answer
}

/** Sets how surely answers must be approved in `main`. */
export async function askForLevel(hub: TestHub, minimum_assurance: string) {
  await (await hub.browser("dora")).call("set_policy", { minimum_assurance });
}

/** What came of a press: how surely it counted, or why it was refused. */
export function outcomeOf(reply: Reply): string {
  return reply.ok ? String(reply.value["assurance"]) : `${reply.status} ${reply.code}`;
}

/** The kinds of what happened to questions, oldest first. */
export async function kindsOf({ hub }: TestHub): Promise<string[]> {
  const rows = await hub.store.read((tx) =>
    tx.all<{ kind: string }>(sql`select kind from events where question is not null order by position`),
  );
  return rows.map((row) => row.kind);
}
