import { agentEnvironment, SETTINGS } from "./config.ts";

/** What client commands, hook, watcher and the tests read; the latter three read more than is listed here. */
const OTHERS_VARIABLES = /^CREWROOM_(URL$|TOKEN$|ROOM$|HOOK_|WATCH_|TEST_)/;

/** A sentence, without its full stop, for each name in the environment that looks like a setting and is none: a slip of the pen. */
export function listUnknownSettings(
  environment: Readonly<Record<string, string | undefined>> = agentEnvironment(),
): string[] {
  const slips = Object.keys(environment).filter(
    (name) => name.startsWith("CREWROOM_") && !(name in SETTINGS) && !OTHERS_VARIABLES.test(name),
  );
  return slips.map((name) => {
    const nearest = nearestSetting(name);
    return `${name} is set, but there is no such setting${nearest === undefined ? "" : `; ${nearest} is the nearest`}`;
  });
}

/** Compared without what most of them begin with: CREWROOM_PORT is meant to be PORT. */
function nearestSetting(name: string): string | undefined {
  const wanted = name.replace("CREWROOM_", "");
  const [nearest] = Object.keys(SETTINGS)
    .map((known) => ({ known, steps: stepsBetween(wanted, known.replace("CREWROOM_", "")) }))
    .toSorted((a, b) => a.steps - b.steps);
  return nearest && nearest.steps <= wanted.length / 3 ? nearest.known : undefined;
}

/** How many letters must be put in, taken out or changed to come from one word to the other. */
function stepsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [index, letter] of one.split("").entries()) {
    const next = [index + 1];
    for (let at = 0; at < other.length; at += 1) {
      const changed = (row[at] ?? 0) + (letter === other[at] ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
