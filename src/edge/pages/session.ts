import { LIMITS } from "../../core/limits.ts";
import { sessionCookie } from "../cookies.ts";
import { note } from "./frame.ts";
import type { Html } from "./html.ts";
import type { Transport } from "./transport.ts";
import { keepDevice, type Visit, type Visits } from "./visit.ts";

/** What a browser is given when a person has signed in: its session, and a mark by which it is known the next time. */
export function sessionCookies(visit: Visit, visits: Visits, secret: string, account: string): string[] {
  const secure = visit.transport === "https";
  return [sessionCookie(secret, { secure, days: LIMITS.sessionDays }), keepDevice(visit, visits.devices, account)];
}

/** Above a form that signs in: what there is to know of the way its secrets take. */
export function remarkOnTransport(transport: Transport): Html | undefined {
  if (transport === "open") return note("bad", NOT_ENCRYPTED);
  if (transport === "lan") return note("warn", LOCAL_NETWORK);
  return undefined;
}

const NOT_ENCRYPTED =
  "Nobody can sign in here, because this connection is not encrypted: put a proxy with a certificate (Caddy, a tunnel, your host's) in front and set CREWROOM_PUBLIC_URL to its https address.";
const LOCAL_NETWORK =
  "This connection is not encrypted: others in this network could read your password. With CREWROOM_PUBLIC_URL set to an https address it would be.";
