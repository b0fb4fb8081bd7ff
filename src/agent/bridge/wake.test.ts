import { expect, test } from "vitest";
import type { Note, Signal } from "../session-files.ts";
import { openWake } from "./wake.ts";

const LINE = "[crewroom] lobby: 1 new, 1 for you (m1 by box1); whats_new has them";

/** A session without files and without time: both are as the test says. */
function session({ hasInbox = true, isWatched = true } = {}) {
  const inbox: string[] = [];
  let signal: Signal | undefined;
  let note: Note = {};
  let told = 0;
  let forgotten = 0;
  const wake = openWake({
    files: { readNote: () => note, writeSignal: (next) => void (signal = next) },
    monitor: { told: () => told, isWatched: () => isWatched },
    nudge: hasInbox ? (text) => void inbox.push(text) : undefined,
    caughtUp: () => void (forgotten += 1),
    started: 0,
  });
  return {
    wake,
    inbox,
    /** The line that the monitor finds. */
    given: () => signal?.line?.text,
    /** The hook runs. */
    hook: (occasion: string, seen?: string) => void (note = { occasion, at: Date.now(), ...(seen && { seen }) }),
    interrupted: () => void (note = { occasion: "step", at: Date.now() - 660_000 }),
    /** The monitor prints what it finds. */
    tell: () => void (told = signal?.line?.number ?? 0),
    pass(from: number, to: number) {
      for (let second = from; second <= to; second++) wake.tick(second * 1_000);
    },
    caughtUp: () => forgotten,
  };
}

test("An idle session is given the line at once, and its inbox stays empty where the hook comes of it.", () => {
  const { wake, given, tell, hook, pass, inbox } = session();
  pass(0, 20);

  wake.print(LINE);
  const line = given();
  tell();
  pass(21, 22);
  hook("prompt");
  pass(23, 60);

  expect([line, inbox]).toEqual([LINE, []]);
});

test("A line that the monitor has told and no hook followed goes into the inbox once, after ten seconds.", () => {
  const { wake, given, tell, pass, inbox } = session();
  pass(0, 20);

  wake.print(LINE);
  tell();
  pass(21, 29);
  const early = [...inbox];
  pass(30, 90);

  expect([early, inbox, given()]).toEqual([[], [LINE], undefined]);
});

test("A monitor that tells nothing is waited for three seconds; one that is not there, until it would have started.", () => {
  const deaf = session();
  const without = session({ isWatched: false });
  deaf.pass(0, 20);
  without.pass(0, 1);

  deaf.wake.print(LINE);
  without.wake.print(LINE);
  deaf.pass(21, 22);
  without.pass(2, 7);
  const early = [...deaf.inbox, ...without.inbox];
  deaf.pass(23, 23);
  without.pass(8, 8);

  expect([early, deaf.inbox, without.inbox]).toEqual([[], [LINE], [LINE]]);
});

test("A session at work meets its next tool's end first: what the hook has shown is told no more.", () => {
  const { wake, given, hook, pass, inbox, caughtUp } = session();
  hook("step");
  pass(0, 20);

  wake.noticed("e.7");
  wake.print(LINE);
  pass(21, 24);
  const held = given();
  hook("step", "e.7");
  pass(25, 90);

  expect([held, given(), inbox]).toEqual([undefined, undefined, []]);
  expect(caughtUp()).toBeGreaterThan(0);
});

test("A session whose tool runs for long gets the line after five seconds, and not into its inbox while it works.", () => {
  const { wake, given, tell, hook, pass, inbox } = session();
  hook("prompt");
  pass(0, 20);

  wake.print(LINE);
  pass(21, 25);
  const line = given();
  tell();
  pass(26, 90);
  const whileAtWork = [...inbox];
  hook("stop");
  pass(91, 120);

  expect([line, whileAtWork, inbox]).toEqual([LINE, [], []]);
});

test("A session that was interrupted ten minutes ago is idle.", () => {
  const { wake, given, interrupted, pass } = session();
  interrupted();
  pass(0, 20);

  wake.print(LINE);

  expect(given()).toBe(LINE);
});

test("Without an inbox the line stays for the monitor.", () => {
  const { wake, given, pass } = session({ hasInbox: false, isWatched: false });

  wake.print(LINE);
  pass(1, 90);

  expect(given()).toBe(LINE);
});

test("The hub's absence is said, and its return, which shows that the bridge lives.", () => {
  const said: Signal[] = [];
  const wake = openWake({
    files: { readNote: () => ({}), writeSignal: (next) => void said.push(next) },
    monitor: { told: () => 0, isWatched: () => true },
    nudge: undefined,
    caughtUp: () => undefined,
    started: 0,
  });

  for (const isThere of [false, true, true]) wake.reached(isThere);

  expect(said.map(({ hub, pid }) => [hub, pid])).toEqual(["away", "here", "here"].map((hub) => [hub, process.pid]));
});
