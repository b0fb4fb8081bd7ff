import { availableParallelism } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import type { Attempt, Passwords } from "../core/operation.ts";
import { openPasswords } from "./passwords.ts";
import { openAddressLimit, openThrottle } from "./throttle.ts";

const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
const WAITING = 64;
/** The hash of "right", cheap enough to be compared often. */
const CHEAP = "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$TrHgIzS0XCONvER+H+BZfo6NwNg4evnCuRHdJ7Qma+A";

function open(limit = 0): Passwords {
  const budget = { limit, windowSeconds: 300 };
  return openPasswords({
    byAddress: openThrottle(budget),
    byAccount: openThrottle(budget),
    byOwner: openThrottle(budget),
    limitStranger: openAddressLimit(budget),
  });
}

const from = (address: string, known?: string): Attempt => ({ account: "main/ann", address, known });

/** What became of each: true, false, or the code of a refusal. */
function outcomes(checks: readonly Promise<unknown>[]) {
  return Promise.all(checks.map((check) => check.catch((error: { code: string }) => error.code)));
}

describe("a password", () => {
  let passwords: Passwords;
  beforeAll(() => {
    passwords = open();
  });

  test("fits only as it was sent, to the last byte, also where it is long", async () => {
    const sent = ` ${"é".repeat(500)} `;
    const stored = await passwords.hash(sent);

    const tries = [sent, sent.trim(), sent.normalize("NFD"), `${sent} `, sent.slice(0, 100), ""];
    const fits = [];
    for (const attempt of tries) fits.push(await passwords.check(attempt, stored, from("192.0.2.1")));

    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(fits).toEqual([true, false, false, false, false, false]);
  });

  test("is hashed with a salt of its own", async () => {
    expect(await passwords.hash("right")).not.toBe(await passwords.hash("right"));
  });

  test("takes as long to be wrong where there is none", async () => {
    const stored = await passwords.hash("right");
    const there: number[] = [];
    const not: number[] = [];
    await passwords.check("guess", undefined, from("192.0.2.1"));

    // In turns, so that whatever else the machine does falls on both.
    for (let sample = 0; sample < 15; sample += 1)
      for (const [times, compared] of [
        [there, stored],
        [not, sample % 2 === 0 ? null : undefined],
      ] as const) {
        const began = performance.now();
        await passwords.check("guess", compared, from("192.0.2.1"));
        times.push(performance.now() - began);
      }

    const median = (times: number[]) => times.toSorted((one, other) => one - other)[7] ?? Number.NaN;
    expect(median(not) / median(there)).toBeGreaterThan(0.6);
    expect(median(not) / median(there)).toBeLessThan(1.7);
  });
});

describe("in a storm of guesses", () => {
  test("the owner does not stand in the strangers' line, and those beyond its end are sent away", async () => {
    const passwords = open();
    await passwords.check("guess", undefined, from("192.0.2.1"));
    const finished: string[] = [];
    const check = (who: string, attempt: Attempt) =>
      passwords.check("right", CHEAP, attempt).then((passed) => {
        finished.push(who);
        return passed;
      });

    const strangers = Array.from({ length: AT_ONCE + WAITING + 20 }, (_, index) =>
      check("stranger", from(`198.51.100.${index}`)),
    );
    // It is sent away at once, so by then the line is full.
    await Promise.allSettled(strangers.slice(-1));
    const before = finished.length;
    const owner = check("owner", from("192.0.2.1", "from 192.0.2.1"));
    const became = await outcomes([owner, ...strangers]);

    expect(became[0]).toBe(true);
    // After those whose turn it was already when it came.
    expect(finished.indexOf("owner")).toBeLessThanOrEqual(before + AT_ONCE);
    expect(became.filter((one) => one === "too_many_calls")).toHaveLength(20);
  });

  test("strangers in line take half of what hashing may take, owners all of it", async () => {
    const passwords = open();
    const stored = await passwords.hash("right");
    const timed = async (known?: string) => {
      const began = performance.now();
      await Promise.all(
        Array.from({ length: 8 * AT_ONCE }, () => passwords.check("guess", stored, from("192.0.2.1", known))),
      );
      return performance.now() - began;
    };

    const ratios: number[] = [];
    for (let round = 0; round < 3; round += 1) ratios.push((await timed()) / (await timed("from 192.0.2.1")));

    // Seven rests beside eight turns.
    expect(ratios.toSorted((one, other) => one - other)[1]).toBeGreaterThan(1.4);
  });

  test("those that guess at once get no more guesses than those that guess in turn", async () => {
    const limit = 3;
    const passwords = open(limit);

    const fromOne = await outcomes(
      Array.from({ length: 40 }, () => passwords.check("guess", CHEAP, from("198.51.100.1"))),
    );

    const guesses = fromOne.filter((one) => one === false);
    expect(guesses.length).toBeGreaterThanOrEqual(limit);
    expect(guesses.length).toBeLessThan(limit + AT_ONCE);
    expect(fromOne.filter((one) => one === "too_many_attempts")).toHaveLength(40 - guesses.length);
  });

  test("a right password costs no budget, and a spent one lets it in from the owner's address alone", async () => {
    const passwords = open(2);
    const check = (password: string, address: string, known?: string) =>
      passwords.check(password, CHEAP, from(address, known)).catch((error: { code: string }) => error.code);

    const right = [];
    for (let count = 0; count < 5; count += 1) right.push(await check("right", "198.51.100.1"));
    for (let guess = 0; guess < 2; guess += 1) await check("guess", `203.0.113.${guess}`);

    expect(right).toEqual([true, true, true, true, true]);
    expect(await check("right", "198.51.100.1")).toBe("too_many_attempts");
    expect(await check("right", "198.51.100.1", "from 198.51.100.1")).toBe(true);
  });

  test("10,000 accounts that strangers make up, from as many addresses, leave the owner its budget", async () => {
    const passwords = open(2);
    const known = "from 192.0.2.1";
    for (let guess = 0; guess < 10_000; guess += 1) {
      const address = `198.18.${Math.floor(guess / 250)}.${guess % 250}`;
      await outcomes([passwords.check("guess", CHEAP, { account: `main/user${guess}`, address, known: undefined })]);
    }

    const newcomer = await outcomes([passwords.check("right", CHEAP, from("192.0.2.9"))]);
    const slip = await passwords.check("guess", CHEAP, from("192.0.2.1", known));
    const owner = await passwords.check("right", CHEAP, from("192.0.2.1", known));

    expect(newcomer).toEqual(["too_many_attempts"]);
    expect([slip, owner]).toEqual([false, true]);
  });

  test("a stranger's address has only so many hashed, and a person's own is not counted", async () => {
    const passwords = open(2);

    const strangers = [];
    for (let count = 0; count < 3; count += 1) strangers.push(...(await outcomes([passwords.hash("x", "192.0.2.1")])));
    const [elsewhere] = await outcomes([passwords.hash("x", "192.0.2.2")]);
    const own = await outcomes(Array.from({ length: 3 }, () => passwords.hash("x")));

    expect(strangers[2]).toBe("too_many_from_address");
    for (const hash of [...strangers.slice(0, 2), elsewhere, ...own]) expect(hash).toMatch(/^\$argon2id\$/);
  });
});
