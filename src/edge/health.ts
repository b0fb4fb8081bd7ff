import type { IncomingMessage } from "node:http";
import type { Store } from "../store/store.ts";
import type { Reply } from "./exchange.ts";

const TEXT = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" } as const;
const JSON_TYPE = { "content-type": "application/json", "cache-control": "no-store" } as const;

/** How long (ms) the database may take to say that it is there. */
const PATIENCE = 2_000;

/**
 * Answers health checks before any gate, since those who ask come by address and without a name: `/health` and
 * `/healthz` say that the process serves, `/readyz` that its database does too. Undefined for every other address.
 */
export function answerHealth(
  { method, url = "" }: Pick<IncomingMessage, "method" | "url">,
  store: Store,
): Reply | Promise<Reply> | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined;
  if (url === "/health") return { status: 200, headers: JSON_TYPE, body: '{"status":"ok"}' };
  if (url === "/healthz") return { status: 200, headers: TEXT, body: "ok" };
  return url === "/readyz" ? readiness(store) : undefined;
}

async function readiness(store: Store): Promise<Reply> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, PATIENCE, false);
  const ready = await Promise.race([store.ping().catch(() => false), late.promise]);
  clearTimeout(timer);
  return { status: ready ? 200 : 503, headers: TEXT, body: ready ? "ready" : "the database does not answer" };
}
