import { expect, test } from "vitest";
import { type LineSettings, type Notice, openLines, writeLine } from "./lines.ts";
import { namesMatcher } from "./names.ts";
import { openOutage } from "./outage.ts";

const SETTINGS: LineSettings = { room: "lobby", mode: "all", minInterval: 60_000, mentionsFirst: true };
const noise = (id: number): Notice => ({ id, what: `#${id} note_added`, by: "box1", forAgent: false });
const mention = (id: number): Notice => ({ id, what: `m${id}`, by: "box3", forAgent: true });

function lines(settings: Partial<LineSettings> = {}) {
  const printed: string[] = [];
  const open = openLines(({ line }) => void printed.push(line));
  const all = { ...SETTINGS, ...settings };
  return {
    printed,
    at(seconds: number, ...notices: Notice[]) {
      for (const notice of notices) open.take(notice, all);
      open.tell(all, seconds * 1_000);
    },
    putBack: (seconds: number, ...notices: Notice[]) => open.putBack(notices, seconds * 1_000),
  };
}

test("Five hundred events in a minute are at most one line, and a mention among them is told at once.", () => {
  const { printed, at } = lines();

  at(0, noise(1));
  for (let second = 1; second < 60; second++)
    at(second, ...Array.from({ length: 9 }, (_, n) => noise(second * 10 + n)));
  const quiet = printed.length;
  at(59, mention(7));
  at(118);

  expect(quiet).toBe(1);
  expect(printed).toHaveLength(2);
  expect(printed[1]).toMatch(/^\[crewroom\] lobby: 532 new, 1 for you \(m7 by box3, #598 note_added by box1, /);
});

test("Mentions have a line at most every five seconds, with all that came meanwhile.", () => {
  const { printed, at } = lines({ mode: "mentions" });

  at(0, mention(1), noise(1));
  at(1, mention(2));
  at(4, mention(3));
  at(5);
  at(6, noise(2));

  expect(printed).toEqual([
    "[crewroom] lobby: 1 new, 1 for you (m1 by box3); whats_new has them",
    "[crewroom] lobby: 2 new, 2 for you (m3 by box3, m2 by box3); whats_new has them",
  ]);
});

test("Mentions wait like the rest when they have no priority.", () => {
  const { printed, at } = lines({ mentionsFirst: false });

  at(0, noise(1));
  at(30, mention(1));
  const before = printed.length;
  at(60);

  expect([before, printed.length]).toEqual([1, 2]);
});

test("What may wake nobody now is told a minute later, or with what comes next.", () => {
  const { printed, at, putBack } = lines({ mode: "mentions" });

  at(0, mention(1));
  putBack(0, mention(1));
  for (let second = 1; second < 60; second++) at(second);
  const early = printed.length;
  at(61);
  putBack(61, mention(1));
  at(70, mention(2));

  expect(early).toBe(1);
  expect(printed.slice(1)).toEqual([
    "[crewroom] lobby: 1 new, 1 for you (m1 by box3); whats_new has them",
    "[crewroom] lobby: 2 new, 2 for you (m2 by box3, m1 by box3); whats_new has them",
  ]);
});

test("Nothing is told in mode hook-only, not even what waited.", () => {
  const { printed, at } = lines();
  const muted = lines({ mode: "hook-only" });

  at(0, noise(1));
  muted.at(0, mention(1));

  expect([printed.length, muted.printed.length]).toEqual([1, 0]);
});

test("A line has at most 200 characters, whatever the names, and says so when it names not all.", () => {
  const long = Array.from({ length: 40 }, (_, n) => ({ ...noise(n), by: "b".repeat(64) }));

  const line = writeLine("r".repeat(64), [...long, mention(1)]);

  expect(line.length).toBeLessThanOrEqual(200);
  expect(line).toMatch(/: 41 new, 1 for you \(m1 by box3, …\); whats_new has them$/);
  expect(writeLine("r".repeat(64), [{ ...noise(1), what: "w".repeat(200) }])).toMatch(/: 1 new; whats_new has them$/);
});

test.each([
  ["box2", "ask box2, please", true],
  ["box2", "@Box2", true],
  ["box2", "box2-api is down", false],
  ["box2", "xbox2", false],
  ["box2", "pre-box2", false],
  ["sensor-7421", "7421 is deaf", true],
  ["sensor-7421", "17421", false],
  ["sensor-742", "742 is deaf", false],
  ["7421", "7421", true],
  ["box2", "the Lamp.", true],
  ["box2", "lamps", false],
])("As %s, is one named by “%s”: %s.", (handle, text, isNamed) => {
  expect(namesMatcher(handle, { names: ["lamp", "(odd"], alias: true })(text)).toBe(isNamed);
});

test("Digits of a name stand for it only where that is wanted.", () => {
  expect(namesMatcher("sensor-7421", { names: [], alias: false })("7421")).toBe(false);
});

test("An outage is told once after two minutes, and its end only when it was.", () => {
  const printed: string[] = [];
  const outage = openOutage((line) => void printed.push(line));

  outage.lost(0);
  outage.tell("lobby", 60_000);
  outage.back("lobby");
  outage.lost(100_000);
  outage.lost(210_000);
  for (const now of [219_000, 221_000, 400_000]) outage.tell("lobby", now);
  outage.back("lobby");
  outage.back("lobby");

  expect(printed).toEqual([
    "[crewroom] lobby: the hub has not been reached for two minutes; until it is back nothing wakes this session",
    "[crewroom] lobby: the hub is back; what came meanwhile follows",
  ]);
});
