import { appendEvents, HUB } from "../../core/event-log.ts";
import type { Core } from "../../core/execute.ts";
import type { Tx } from "../../store/store.ts";
import { findLiveToken } from "../queries.ts";
import { hashToken } from "../tokens.ts";
import {
  consumeRecord,
  dropClientsBeyond,
  dropRecord,
  dropRecordsOfGrant,
  findOrganizationOfGrant,
  findRecord,
  keepClient,
  keepRecord,
  prolongGrant,
  revokeGrant,
} from "./queries.ts";

/** What the authorization server keeps, as its library knows it. Times in it are seconds since 1970. */
export type Payload = Readonly<Record<string, unknown>>;

/** How long (ms) a refresh token that was used can be used again: the sessions of one machine share it, and answers get lost. */
export const REUSE_GRACE = 60_000;

/** How long (s) a sign-in of a client lasts after it was last used. */
export const GRANT_SECONDS = 30 * 86_400;

/** Registered clients at most. They cost a row each, and anybody may register one. */
export const MOST_CLIENTS = 10_000;

/** No organization: clients and sign-ins under way belong to none. */
const NOBODYS = "";

/** The records of the authorization server. Whatever a record is found by is a secret, so only its digest is kept. */
export interface OAuthRecords {
  keep(kind: string, secret: string, payload: Payload, seconds: number): Promise<void>;
  find(kind: string, secret: string): Promise<Payload | undefined>;
  /** Whether it is the first to use it up. */
  consume(kind: string, secret: string): Promise<boolean>;
  drop(kind: string, secret: string): Promise<void>;
  /** Ends a grant with everything that was given out under it, and tells so in the log of its organization. */
  endGrant(grantId: string): Promise<void>;
}

export function openRecords(
  { store, committed }: Pick<Core, "store" | "committed">,
  most = MOST_CLIENTS,
): OAuthRecords {
  return {
    async keep(kind, secret, payload, seconds) {
      await store.write(organizationOf(payload), (tx) => keep(tx, { kind, secret, payload, seconds, most }));
    },
    find: (kind, secret) => store.read((tx) => find(tx, kind, secret)),
    consume: (kind, secret) => store.write(NOBODYS, (tx) => consumeRecord(tx, kind, hashToken(secret))),
    drop: (kind, secret) => store.write(NOBODYS, (tx) => dropRecord(tx, kind, hashToken(secret))),
    async endGrant(grantId) {
      const grant = hashToken(grantId);
      const organization = await store.read((tx) => findOrganizationOfGrant(tx, grant));
      if (organization === undefined) return;
      const events = await store.write(organization, async (tx) => {
        const ended = await revokeGrant(tx, organization, grant);
        await dropRecordsOfGrant(tx, grant);
        if (!ended) return [];
        const event = { kind: "signed_out", detail: ended.label, concerns: [ended.member] } as const;
        appendEvents(tx, organization, HUB, [event]);
        return [event];
      });
      if (events.length > 0) committed(organization, events);
    },
  };
}

/** `organization/handle`, as accounts are called at the authorization server. Neither part has a slash. */
export function accountOf({ organization, handle }: { organization: string; handle: string }): string {
  return `${organization}/${handle}`;
}

/** Whatever is a person's is written in its organization's turn, like everything else there. */
function organizationOf({ accountId }: Payload): string {
  return typeof accountId === "string" ? (accountId.split("/")[0] ?? NOBODYS) : NOBODYS;
}

interface Kept {
  readonly kind: string;
  readonly secret: string;
  readonly payload: Payload;
  readonly seconds: number;
  readonly most: number;
}

async function keep(tx: Tx, { kind, secret, payload, seconds, most }: Kept): Promise<void> {
  const id = hashToken(secret);
  const { grantId, clientId, accountId } = payload;
  const grant = typeof grantId === "string" ? hashToken(grantId) : null;
  const expiresAt = tx.now + seconds * 1_000;
  await keepRecord(tx, { kind, id, payload: seal(payload, secret), grant, expiresAt });
  if (kind === "Client") await dropClientsBeyond(tx, most, id);
  if (kind !== "RefreshToken" || grant === null) return;
  // Who refreshes goes on being signed in, as a client that is known.
  await prolongGrant(tx, organizationOf({ accountId }), grant, expiresAt);
  if (typeof clientId === "string") await keepClient(tx, hashToken(clientId), expiresAt);
}

async function find(tx: Tx, kind: string, secret: string): Promise<Payload | undefined> {
  const id = hashToken(secret);
  const row = await findRecord(tx, kind, id);
  // A grant is a credential of its person: revoked, run out or the person gone, it is no more.
  if (!row || (kind === "Grant" && !(await findLiveToken(tx, id)))) return undefined;
  const payload = unseal(row.payload, secret);
  const isUsed = row.consumed_at !== null && row.consumed_at + (kind === "RefreshToken" ? REUSE_GRACE : 0) <= tx.now;
  return {
    ...payload,
    // Time is the database's: what the library gets is what is left of it, by its own clock.
    ...("exp" in payload && { exp: Math.floor(Date.now() / 1_000) + secondsUntil(row.expires_at, tx.now) }),
    ...(isUsed && kind !== "Client" && { consumed: true }),
  };
}

function secondsUntil(moment: number | null, now: number): number {
  return Math.ceil(((moment ?? now) - now) / 1_000);
}

/** Stands where the secret stood: JSON never has it bare, so nothing else can look like it. */
const MARK = "\u0001";

function seal(payload: Payload, secret: string): string {
  return JSON.stringify(payload).replaceAll(secret, MARK);
}

function unseal(text: string, secret: string): Payload {
  return JSON.parse(text.replaceAll(MARK, secret)) as Payload; // it was made from one
}
