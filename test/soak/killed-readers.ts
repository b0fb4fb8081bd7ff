import { cutWatcher } from "../../src/testkit/cut-watcher.ts";
import { hookMachine } from "../../src/testkit/hook.ts";
import { killHooks, killWatchers, type Sender } from "../../src/testkit/killed.ts";
import { openLine } from "../../src/testkit/other-servers.ts";
import { watchMachine } from "../../src/testkit/watch.ts";
import type { Arena } from "./arena.ts";
import { call } from "./http.ts";

/** Sends to the reader, as somebody else sees it. */
async function openSender(arena: Arena) {
  await arena.seat(["teller", "reader"]);
  const teller = arena.target("teller");
  const { port, token } = arena.target("reader");
  const sender: Sender = {
    send: async (body) => (await call(teller, "post_message", { body: `@reader ${body}` })).message_id as number,
    stateOf: async (message_id) => (await call(teller, "get_receipts", { message_id })).receipts[0].state as string,
  };
  return { sender, place: { url: `http://127.0.0.1:${port}`, token: () => token } };
}

/** A hook that is killed at each of six points of its work, and watchers too: nothing is lost, and nothing counts as seen that was not. */
export async function killedReaders(
  arena: Arena,
  { sends, each, watchers }: { readonly sends: number; readonly each: number; readonly watchers: number },
): Promise<string[]> {
  const { sender, place } = await openSender(arena);
  using hook = hookMachine(place, "reader");
  using machine = watchMachine(place, "reader");
  return [
    ...(await killHooks(hook, sender, { rounds: Math.ceil(sends / each), each })),
    ...(await killWatchers(machine, sender, { rounds: watchers })),
  ];
}

/** A watcher whose line is cut again and again tells each message once, and none that is old. */
export async function cutLines(
  arena: Arena,
  amount: { readonly posts: number; readonly cuts: number },
): Promise<string[]> {
  const { sender, place } = await openSender(arena);
  for (let n = 0; n < 10; n++) await sender.send("before it came");
  await using line = await openLine(place.url);
  using machine = watchMachine({ ...place, url: line.url }, "reader");
  await using watcher = await machine.watch();
  // Awaited here: the watcher goes with this function.
  return await cutWatcher(line, watcher, () => sender.send("look"), amount);
}
