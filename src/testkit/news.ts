import { connect } from "node:net";
import { type Answer, execute } from "../core/execute.ts";
import type { PlaceRow } from "../features/delivery/queries.ts";
import { whatsNew } from "../features/delivery/whats-new.ts";
import { sql } from "../store/sql.ts";
import type { TestHub } from "./hub.ts";
import { fillLog } from "./log.ts";

/** An item of whats_new: an event of the room, or of a question, whose number `message_id` is then. */
export interface NewsItem {
  readonly id: number;
  readonly kind: string;
  readonly message_id: number;
  readonly again?: true;
}
export const itemsOf = ({ value }: Pick<Answer, "value">) => value["events"] as NewsItem[];
export const questionsOf = ({ value }: Pick<Answer, "value">) => value["questions"] as NewsItem[];
export const idsOf = (answer: Pick<Answer, "value">) => itemsOf(answer).map((item) => item.id);
export const againOf = (answer: Pick<Answer, "value">) =>
  itemsOf(answer)
    .filter((item) => item.again)
    .map((item) => item.id);

/** A hub on which box2 has seen something, and box1 has then posted `count` messages. */
export async function withNews(start: () => Promise<TestHub>, count: number) {
  const hub = await start();
  await fillLog(hub, "lobby", "box3", 1);
  await (await ask(hub)).settled?.(true);
  for (let number = 1; number <= count; number++)
    await hub.as("box1").call("post_message", { body: `@box2 message ${number}` });
  return hub;
}

/** Calls whats_new, as box2 unless said, the way an edge does; whoever asks says whether the answer was written out. */
export async function ask(
  { hub, token }: TestHub,
  input: Record<string, unknown> = {},
  surface: "rest" | "mcp" = "rest",
  handle = "box2",
): Promise<Answer> {
  const caller = await hub.callers.byToken(token(handle), { address: "127.0.0.1", session: "-" });
  return execute(hub.core, whatsNew, { caller, input, surface });
}

export async function placeOf({ hub }: TestHub): Promise<PlaceRow & { session: string }> {
  const row = await hub.store.read((tx) =>
    tx.one<PlaceRow & { session: string }>(sql`
      select p.position, p.offered, p.offered_by, p.offered_at, p.welcomed_at, p.session
      from places p
      join tokens t on t.organization = p.organization and t.id = p.credential
      where t.member = 'box2'`),
  );
  if (!row) throw new Error("box2 has no place.");
  return row;
}

/** The place as it would be if another process had handed out last. */
export async function asIfOfferedBy({ hub }: TestHub, node: string) {
  await hub.store.write("main", (tx) => tx.run(sql`update places set offered_by = ${node}, offered_at = ${tx.now}`));
  // What that process remembers is not remembered here.
  hub.core.handovers.forget(
    JSON.stringify(["main", (await credentialOf(hub)) ?? "", "-", "tool", 1]),
    Number.MAX_SAFE_INTEGER,
  );
}

async function credentialOf({ store }: TestHub["hub"]) {
  return (await store.read((tx) => tx.one<{ id: string }>(sql`select id from tokens where member = 'box2'`)))?.id;
}

/** Sends whats_new as box2, and hangs up once the request is whole and before its news can be written down. */
export async function hangUpWhileAsking(testHub: TestHub) {
  const { hub, url, token } = testHub;
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  const head = [
    "POST /api/whats_new HTTP/1.1",
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${token("box2")}`,
    "Content-Type: application/json",
    "Content-Length: 2",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n{`);
  const gate = Promise.withResolvers<void>();
  const held = hub.store.write("main", () => gate.promise);
  socket.write("}");
  await turns(50);
  socket.resetAndDestroy();
  await turns(50);
  gate.resolve();
  await held;
  // First the offer is there, then it is known to be cut.
  await until(async () => (await placeOf(testHub)).offered > (await placeOf(testHub)).position);
  await until(async () => hub.core.handovers.size === 0);
}

/** Lets everything that has arrived on a socket of this process be read. */
async function turns(count: number) {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export async function until(isSo: () => Promise<boolean>) {
  while (!(await isSo())) await turns(1);
}
