/** Who is let through in one turn of the event loop: measured, a write to each takes some 20 ms together. */
const AT_ONCE = 200;

/**
 * Lets many who are woken at once go on a few at a time, so that calls are answered in between.
 *
 * @returns a function whose promise resolves when it is one's turn, in the order of asking.
 */
export function openTurns(atOnce = AT_ONCE): () => Promise<void> {
  let waiting: (() => void)[] = [];

  function letThrough() {
    const now = waiting.slice(0, atOnce);
    waiting = waiting.slice(atOnce);
    if (waiting.length > 0) setImmediate(letThrough);
    for (const go of now) go();
  }

  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(letThrough);
    });
}
