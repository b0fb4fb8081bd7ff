import { setTimeout as pause } from "node:timers/promises";
import type { Line } from "./other-servers.ts";
import type { Watcher } from "./watch.ts";

/** How long (ms) a line is waited for. */
const PATIENCE = 30_000;

/**
 * Sends while the line to the hub is cut again and again. Gives what was wrong: something that had no line, or two, or one though it was
 * there before.
 *
 * @param send  posts to the watcher's agent, and gives the message's number.
 */
export async function cutWatcher(
  line: Line,
  watcher: Watcher,
  send: () => Promise<number>,
  { posts, cuts }: { readonly posts: number; readonly cuts: number },
): Promise<string[]> {
  let told = 0;
  const named: number[] = [];
  void (async () => {
    for (;;) {
      const text = await watcher.next();
      told += Number(/: (\d+) new/.exec(text)?.[1]);
      named.push(...[...text.matchAll(/\bm(\d+) by /g)].map(([, number]) => Number(number)));
    }
  })().catch(() => undefined); // it ends with the watcher
  const streams = () => line.asked.filter((asked) => asked.startsWith("GET /v1/stream")).length;

  let sent = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (let post = 1; post <= posts; post++) {
    last = await send();
    sent += 1;
    first = Math.min(first, last);
    if (post % Math.ceil(posts / cuts) !== 0) continue;
    // Only a stream that brought something is cut: one that never does is asked for more and more seldom.
    const before = streams();
    line.cut();
    last = await send();
    sent += 1;
    await until(() => streams() > before && told >= sent);
  }
  await until(() => told >= sent);

  const twice = named.filter((number, at) => named.indexOf(number) !== at);
  return [
    ...(told === sent ? [] : [`${told} of ${sent} had a line`]),
    ...twice.map((number) => `m${number} had two lines`),
    ...named.filter((number) => number < first || number > last).map((number) => `m${number} was old`),
  ];
}

/** Waits until it is so, or for as long as anything is waited for. */
async function until(isSo: () => boolean) {
  for (const started = performance.now(); !isSo() && performance.now() - started < PATIENCE;) await pause(20);
}
