import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { fail } from "../core/errors.ts";
import type { Attempt, Passwords } from "../core/operation.ts";
import { lowerPoolPriority } from "./pool-priority.ts";
import { isFormerHash, isFormerPassword } from "./former-passwords.ts";
import type { Throttle } from "./throttle.ts";

const hashInPool = promisify(argon2);

/** 19 MiB, two passes, one lane. @source OWASP Password Storage Cheat Sheet, Argon2id. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const SALT_BYTES = 16;

/** Hashing at a time: half the processors, so that a storm of sign-ins leaves the other half to everybody else. */
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
/** More than this wait for nobody: they are told to come again. Owners and strangers wait in lines of their own. */
const MOST_WAITING = 64;

/**
 * Failed attempts are counted apart: those of one address, those of strangers on one account, and those from where an account's
 * owner was before. The last stand in a book of their own: strangers can fill one with accounts that they make up.
 */
export interface SignInThrottles {
  readonly byAddress: Throttle;
  readonly byAccount: Throttle;
  readonly byOwner: Throttle;
  /** What an address may have hashed that proves nothing by it. */
  readonly limitStranger: (address: string) => Promise<void>;
}

/** Hashes and checks passwords with Argon2id, off the event loop, a few at a time, and slows guessing down. */
export function openPasswords(throttles: SignInThrottles): Passwords {
  const inTurn = openTurns();
  // What a password is compared with where there is none, so that an unknown account takes as long as a wrong password.
  let nothing: Promise<string> | undefined;
  return {
    async hash(password, stranger) {
      if (stranger !== undefined) await throttles.limitStranger(stranger);
      return inTurn(stranger === undefined ? "owners" : "strangers", () => hashPassword(password));
    },
    async check(password, stored, attempt) {
      const budgets = budgetsOf(throttles, attempt);
      await refuseIfSpent(budgets);
      nothing ??= hashPassword(randomBytes(SALT_BYTES).toString("hex"));
      const compared = stored ?? (await nothing);
      return inTurn(attempt.known === undefined ? "strangers" : "owners", async () => {
        // Those that came before it in line may have spent what was left.
        await refuseIfSpent(budgets);
        const passed = (await isPassword(password, compared)) && compared === stored;
        if (!passed) for (const [throttle, key] of budgets) await throttle.failed(key);
        return passed;
      });
    },
  };
}

/** Whoever was there before has a budget of its own, so that strangers who guess cannot lock the owner out. */
function budgetsOf({ byAddress, byAccount, byOwner }: SignInThrottles, attempt: Attempt): Budget[] {
  const { account, address, known } = attempt;
  if (known !== undefined) return [[byOwner, `${account} ${known}`]];
  return [
    [byAddress, address],
    [byAccount, account],
  ];
}
type Budget = readonly [throttle: Throttle, key: string];

async function refuseIfSpent(budgets: readonly Budget[]) {
  for (const [throttle, key] of budgets) await throttle.refuseIfSpent(key);
}

let pool: number[] | undefined;

async function hashWith(...[algorithm, parameters]: Parameters<typeof hashInPool>): Promise<Buffer> {
  const digest = await hashInPool(algorithm, parameters);
  pool ??= lowerPoolPriority();
  return digest;
}

/** `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`, the usual text form. */
async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const digest = await hashWith("argon2id", { message: password, nonce: salt, ...COST });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(digest)}`;
}

const STORED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

async function isPassword(password: string, stored: string): Promise<boolean> {
  if (isFormerHash(stored)) return isFormerPassword(password, stored);
  const match = STORED.exec(stored);
  if (!match) throw new Error("A stored password has a form of its own.");
  const [, memory, passes, parallelism, salt = "", digest = ""] = match;
  const wanted = Buffer.from(digest, "base64");
  const got = await hashWith("argon2id", {
    message: password,
    nonce: Buffer.from(salt, "base64"),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: wanted.length,
  });
  return timingSafeEqual(got, wanted);
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}

/**
 * Runs work `AT_ONCE` at a time, each line in its order, the owners' before the strangers'. Where strangers stand in line, a turn
 * rests after one of them as long as that one took: a storm of guesses keeps half of what hashing may take from others.
 */
function openTurns() {
  const lines = { owners: new Array<() => void>(), strangers: new Array<() => void>() };
  let running = 0;

  /** Gives a turn to whoever comes next. */
  function pass() {
    const next = lines.owners.shift() ?? lines.strangers.shift();
    if (next) next();
    else running -= 1;
  }

  return async <T>(line: keyof typeof lines, work: () => Promise<T>): Promise<T> => {
    if (running < AT_ONCE) running += 1;
    else {
      if (lines[line].length >= MOST_WAITING) throw fail("too_many_calls", { seconds: 2 });
      await new Promise<void>((resume) => lines[line].push(resume));
    }
    const began = performance.now();
    try {
      return await work();
    } finally {
      if (line === "owners" || lines.owners.length > 0 || lines.strangers.length === 0) pass();
      else setTimeout(pass, performance.now() - began).unref();
    }
  };
}
