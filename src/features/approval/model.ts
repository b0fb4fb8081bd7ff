import { hash } from "node:crypto";
import { printable } from "../../core/frame.ts";

/** How surely an answer was approved by its person, from least to most. What each proves is in the README. */
export const LEVELS = ["asserted", "prompted", "confirmed", "signed"] as const;
export type Level = (typeof LEVELS)[number];

/** With whom an answer is shared besides its asker: nobody, the organization, or the room with this id. */
export type Sharing = "no" | "organization" | { readonly room: number };

/** Everything that is approved. Another value in any of it is another approval. */
export interface Binding {
  readonly organization: string;
  /** The question's number. */
  readonly number: number;
  readonly question: string;
  /** What it offers to choose from: "1" means one thing with these and another with others. */
  readonly options: readonly string[];
  readonly asker: string;
  readonly recipient: string;
  /** The answer: what is delivered, byte for byte. */
  readonly text: string;
  readonly sharing: Sharing;
  /** Until when it may be approved: ms since 1970, UTC. */
  readonly expires_at: number;
  /** Random, so that nobody can try out texts against the hash. */
  readonly nonce: string;
}

/** SHA-256, as hex, over one JSON array in UTF-8: the format's name, then every field of the binding in this order. */
export function approvalHash(binding: Binding): string {
  const { organization, number, question, options, asker, recipient, text, sharing, expires_at, nonce } = binding;
  const shared = typeof sharing === "string" ? sharing : ["room", sharing.room];
  const canonical = [
    FORMAT,
    organization,
    number,
    question,
    options,
    asker,
    recipient,
    text,
    shared,
    expires_at,
    nonce,
  ];
  return hash("sha256", JSON.stringify(canonical), "hex");
}
const FORMAT = "crewroom approval 1";

/** Whether `level` is at least what an organization asks for. */
export function suffices(level: Level, minimum: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(minimum);
}

/** What somebody approves with. */
export interface Means {
  /** Sits before a page of the hub in a session of its own. */
  readonly browser: boolean;
  /** Gave a passkey's assertion over the hash, and it was checked. */
  readonly passkey: boolean;
  /** The password has passed through a tool since it was last chosen on a page: others may know it. */
  readonly exposed: boolean;
}

/** How much an approval given with these means counts. */
export function levelOf({ browser, passkey, exposed }: Means): Level {
  if (!browser || exposed) return "prompted";
  return passkey ? "signed" : "confirmed";
}

/** How long (ms) a text that was shown may be approved. Afterwards it is shown again. */
export const SHOWN_FOR_MS = 15 * 60_000;

export type ApprovalState = "open" | "approved" | "rejected" | "void";

/** What decides whether a request for approval may be used. Moments are ms since 1970, UTC. */
export interface Request {
  readonly state: ApprovalState;
  readonly person: string;
  readonly hash: string;
  readonly expires_at: number;
  readonly shown_at: number | null;
}

/** Somebody's attempt to use it. */
export interface Press {
  readonly person: string;
  readonly hash: string;
  readonly level: Level;
  readonly minimum: Level;
  /** Where the text was not shown by the hub (asserted, or a client's prompt), there is no showing that could be too long ago. */
  readonly needsShowing: boolean;
}

/** Why a request may not be used. */
export type Obstacle = "not_yours" | "closed" | "expired" | "changed" | "too_low" | "not_shown";

/** What stands against using a request at `now` (ms); undefined when nothing does. */
export function obstacleTo(request: Request, press: Press, now: number): Obstacle | undefined {
  if (request.person !== press.person) return "not_yours";
  if (request.state !== "open") return "closed";
  if (request.expires_at <= now) return "expired";
  if (request.hash !== press.hash) return "changed";
  if (!suffices(press.level, press.minimum)) return "too_low";
  if (press.needsShowing && !isShown(request, now)) return "not_shown";
  return undefined;
}

function isShown({ shown_at }: Request, now: number): boolean {
  return shown_at !== null && shown_at + SHOWN_FOR_MS > now;
}

/** More than this, in code points or in lines, is read on a page, not in a prompt. */
const MOST_IN_PROMPT = 2_000;
const MOST_LINES_IN_PROMPT = 40;

/** What a reader of a text must know of it. */
export interface Traits {
  readonly long: boolean;
  /** It has characters that show nothing; bidi ones are among them. */
  readonly has_invisible: boolean;
  /** It has characters that turn the reading direction. */
  readonly has_bidi: boolean;
}

export function traitsOf(text: string): Traits {
  return {
    long: Array.from(text).length > MOST_IN_PROMPT || text.split("\n").length > MOST_LINES_IN_PROMPT,
    has_invisible: printable(text) !== text,
    has_bidi: BIDI.test(text),
  };
}

/** Whether a prompt in a client or a terminal can show it as it is; if not, the hub's page must. */
export function fitsPrompt({ long, has_invisible, has_bidi }: Traits): boolean {
  return !long && !has_invisible && !has_bidi;
}

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
