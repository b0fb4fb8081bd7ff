import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * A browser as its long-lived cookie says: a random name, and a mark for each account that was signed in to from it. A mark
 * cannot be made without the key, so whoever guesses passwords from elsewhere cannot pass for the owner's browser.
 */
export interface Device {
  readonly id: string;
  readonly marks: readonly string[];
  /** Whether its cookie has yet to be given. */
  readonly isNew: boolean;
}

/** How long (days) a browser is remembered. */
export const DEVICE_DAYS = 365;
/** Accounts remembered for one browser; the oldest goes first. */
const MOST_ACCOUNTS = 5;
/** 128 bits in base64url. */
const PART = "[\\w-]{22}";
const VALUE = new RegExp(`^${PART}(\\.${PART}){0,${MOST_ACCOUNTS}}$`);

export interface Devices {
  /** What the cookie's value says; a new device for anything else. */
  read(value: string | undefined): Device;
  write(device: Device): string;
  /** Whether `account` (`organization/handle`) was signed in to from this browser before. */
  knows(device: Device, account: string): boolean;
  remember(device: Device, account: string): Device;
}

export function openDevices(key: Uint8Array): Devices {
  function markOf({ id }: Device, account: string): string {
    return createHmac("sha256", key).update(`${id} ${account}`).digest("base64url").slice(0, 22);
  }
  const fits = (mark: string) => (other: string) => timingSafeEqual(Buffer.from(mark), Buffer.from(other));

  return {
    read(value) {
      if (value === undefined || !VALUE.test(value))
        return { id: randomBytes(16).toString("base64url"), marks: [], isNew: true };
      const [id = "", ...marks] = value.split(".");
      return { id, marks, isNew: false };
    },
    write: ({ id, marks }) => [id, ...marks].join("."),
    knows: (device, account) => device.marks.some(fits(markOf(device, account))),
    remember(device, account) {
      const mark = markOf(device, account);
      const others = device.marks.filter((other) => other !== mark);
      return { ...device, marks: [mark, ...others].slice(0, MOST_ACCOUNTS) };
    },
  };
}
