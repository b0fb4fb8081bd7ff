/** A hub that is away for so long (ms) is told of: silence would look like a quiet room. */
const TOLD_AFTER = 120_000;

/** Tells once that nothing reaches the agent any more, and once that it does again. Times are of a monotonic clock in ms. */
export function openOutage(print: (line: string) => void) {
  let since: number | undefined;
  let isTold = false;

  return {
    lost(now: number) {
      since ??= now;
    },
    back(room: string) {
      if (isTold) print(`[crewroom] ${room}: the hub is back; what came meanwhile follows`);
      since = undefined;
      isTold = false;
    },
    tell(room: string, now: number) {
      if (isTold || since === undefined || now - since < TOLD_AFTER) return;
      isTold = true;
      print(
        `[crewroom] ${room}: the hub has not been reached for two minutes; until it is back nothing wakes this session`,
      );
    },
  };
}
