import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { fail } from "../core/errors.ts";
import type { Attempt, Passwords } from "../core/operation.ts";
import type { Throttle } from "./throttle.ts";

const hashWith = promisify(argon2);

/** 19 MiB, two passes, one lane. @source OWASP Password Storage Cheat Sheet, Argon2id. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const SALT_BYTES = 16;

/** Hashing at a time: half the processors, so that a storm of sign-ins leaves the other half to everybody else. */
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
/** More than this wait for nobody: they are told to come again. */
const MOST_WAITING = 64;

/** Failed attempts are counted apart: those of one address, and those of strangers on one account. */
export interface SignInThrottles {
  readonly byAddress: Throttle;
  readonly byAccount: Throttle;
}

/** Hashes and checks passwords with Argon2id, off the event loop, a few at a time, and slows guessing down. */
export function openPasswords(throttles: SignInThrottles): Passwords {
  const inTurn = openTurns();
  // What a password is compared with where there is none, so that an unknown account takes as long as a wrong password.
  let nothing: Promise<string> | undefined;
  return {
    hash: (password) => inTurn(() => hashPassword(password)),
    async check(password, stored, attempt) {
      const budgets = budgetsOf(throttles, attempt);
      for (const [throttle, key] of budgets) await throttle.refuseIfSpent(key);
      nothing ??= hashPassword(randomBytes(SALT_BYTES).toString("hex"));
      const compared = stored ?? (await nothing);
      const passed = (await inTurn(() => isPassword(password, compared))) && compared === stored;
      if (!passed) for (const [throttle, key] of budgets) await throttle.failed(key);
      return passed;
    },
  };
}

/** Whoever was there before has a budget of its own, so that strangers who guess cannot lock the owner out. */
function budgetsOf({ byAddress, byAccount }: SignInThrottles, { account, address, known }: Attempt) {
  if (known !== undefined) return [[byAccount, `${account} ${known}`]] as const;
  return [[byAddress, address] as const, [byAccount, account] as const];
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

/** Runs work in the order it came, `AT_ONCE` at a time. */
function openTurns() {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= AT_ONCE) {
      if (waiting.length >= MOST_WAITING) throw fail("too_many_calls", { seconds: 2 });
      await new Promise<void>((resume) => waiting.push(resume));
    }
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
