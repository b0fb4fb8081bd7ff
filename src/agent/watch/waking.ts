import { callByName, type Connection, HubRefusal } from "../../client/hub-client.ts";
import { type Due, type Notice, openLines } from "./lines.ts";

/** Whom it tells. */
interface WakingVoices {
  /** One line for the client, which wakes its agent. */
  readonly print: (line: string) => void;
  readonly say: (line: string) => unknown;
}

/** How long (ms) the hub's leave is waited for. */
const PATIENCE = 5_000;
/** The hub is told of so many events at most. */
const MOST_EVENTS = 50;

/**
 * Lines that are told with the hub's leave: it is asked before each whether it may wake the session, as agents must not wake each other
 * without end. A hub that does not answer lets nobody act either, so then the line is told.
 */
export function openWakingLines(connection: () => Connection, room: string | undefined, { print, say }: WakingVoices) {
  // One after the other, as they were due.
  let last: Promise<void> = Promise.resolve();
  const lines = openLines((due) => {
    last = last.then(() => tell(due));
  });

  async function ask(input: object): Promise<Record<string, unknown>> {
    const where = room === undefined ? {} : { room };
    return callByName(connection(), "request_wake", { ...where, ...input }, AbortSignal.timeout(PATIENCE));
  }

  async function tell({ line, notices }: Due) {
    const events = idsOf(notices);
    const answer = await ask({ events }).catch(leaveOf);
    if (answer["wake"] === true) {
      print(line);
      await ask({ woken_for: events }).catch((error: unknown) => say(`no receipt: ${String(error)}`));
      return;
    }
    say(`does not wake the session: ${String(answer["reason"])}`);
    if (answer["reason"] !== "nothing_new") lines.putBack(notices, performance.now());
  }

  return lines;
}

/** What is for the agent before the rest, the newest of it. */
function idsOf(notices: readonly Notice[]): number[] {
  const byWeight = notices.toSorted((a, b) => Number(b.forAgent) - Number(a.forAgent) || b.id - a.id);
  return byWeight.slice(0, MOST_EVENTS).map(({ id }) => id);
}

/** A refusal, such as of a hub that does not know the question, keeps nobody from being woken. */
function leaveOf(error: unknown): Record<string, unknown> {
  if (error instanceof HubRefusal && error.code === "not_signed_in") return { wake: false, reason: error.code };
  return { wake: true };
}
