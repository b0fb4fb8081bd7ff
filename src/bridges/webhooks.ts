import { createHmac } from "node:crypto";
import { type Outbound, OutboundProblem } from "../access/outbound.ts";
import { type Seal, SealBroken } from "../access/seal.ts";
import { toIso } from "../core/fields.ts";
import { type Delivery, DELIVERY_MS, DeliveryProblem, type FollowerKind } from "./follower.ts";
import type { FollowedEvent } from "./follower-queries.ts";
import { disableHook, findOutboundHook, noteHookProblem, type OutboundHookRow } from "./hook-queries.ts";
import { tellEvent } from "./tell-event.ts";

/** How long (ms) a receiver may fail in a row before its hook is disabled. */
const PATIENCE = 24 * 3_600_000;

/** "Gone": who answers it wants nothing any more. */
const GONE = 410;

/** Outbound hooks: each event as a signed POST, retried for a day. @source Standard Webhooks, version 1. */
export function webhooks(outbound: Outbound, seal: Seal): FollowerKind {
  return {
    kind: "hook",
    patience: PATIENCE,
    async open(tx, { organization, id }) {
      const hook = await findOutboundHook(tx, organization, id);
      return hook && deliveryOf(hook, outbound, seal);
    },
    noteProblem: (tx, { organization, id }, problem) => noteHookProblem(tx, organization, id, problem),
    async giveUp(tx, { organization, id }, problem) {
      await disableHook(tx, organization, id, problem);
      return [{ kind: "hook_disabled", detail: `${id}: ${problem}` }];
    },
  };
}

function deliveryOf(hook: OutboundHookRow, outbound: Outbound, seal: Seal): Delivery {
  const kinds = new Set(hook.kinds === "" ? [] : hook.kinds.split(" "));
  return {
    wants: (event) => kinds.size === 0 || kinds.has(event.kind),
    async deliver(event) {
      const body = JSON.stringify({ type: event.kind, timestamp: toIso(event.at), data: tellEvent(event) });
      try {
        const key = seal.open(hook.secret, `hook/${hook.id}`);
        const headers = { "content-type": "application/json", ...signatureOf(key, idOf(event), body) };
        await outbound.post(new URL(hook.url), { headers, body }, DELIVERY_MS);
      } catch (error) {
        if (!(error instanceof OutboundProblem || error instanceof SealBroken)) throw error;
        const final = error instanceof OutboundProblem && error.status === GONE;
        throw new DeliveryProblem(error.message, { final, cause: error });
      }
    },
  };
}

/** The same for each attempt, so that a receiver can tell what it has seen. */
function idOf({ epoch, position }: FollowedEvent): string {
  return `evt_${epoch}_${position}`;
}

/** @source Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`; the time is now, in seconds, by this machine's clock. */
function signatureOf(key: string, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const bytes = Buffer.from(key.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", bytes).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
