import type { IncomingHttpHeaders } from "node:http";
import { isPublicSide, LOOPBACK, parseHost } from "../addresses.ts";

export interface TransportSettings {
  readonly CREWROOM_PUBLIC_URL: string | undefined;
  readonly CREWROOM_CONSOLE: "on" | "lan" | "off";
}

/**
 * How a browser reaches this hub, and so which cookie it may have. `https`: one held to this host. `loopback`: it never leaves
 * the machine. `lan`: not encrypted, where the operator allows that. `open`: not encrypted, and none.
 */
export type Transport = "https" | "loopback" | "lan" | "open";

/**
 * What a form was sent over is what its Origin says: the browser itself writes it, whatever proxies there are. A page that is
 * only read has none; then the public address and the proxy's word are good enough, as nothing but what it says depends on it.
 */
export function transportOf(headers: IncomingHttpHeaders, settings: TransportSettings): Transport {
  const { CREWROOM_PUBLIC_URL: publicUrl, CREWROOM_CONSOLE: console } = settings;
  const origin = originIn(headers.origin);
  const host = parseHost(origin?.host ?? headers.host ?? "")?.name ?? "";
  if (origin ? origin.protocol === "https:" : seemsEncrypted(headers, host, publicUrl)) return "https";
  if (LOOPBACK.has(host)) return "loopback";
  return console === "lan" && !isPublicSide(headers, publicUrl) ? "lan" : "open";
}

/** Where a sign-in leads when nothing else was asked for: the console where it is there for this browser, else what waits for approval. */
export function homeOf(
  headers: IncomingHttpHeaders,
  settings: TransportSettings,
  build: object | undefined,
): "/ui" | "/approve" {
  const { CREWROOM_CONSOLE: console, CREWROOM_PUBLIC_URL: publicUrl } = settings;
  const reaches = console === "on" || (console === "lan" && !isPublicSide(headers, publicUrl));
  return build && reaches ? "/ui" : "/approve";
}

function originIn(origin: string | undefined): URL | undefined {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined;
}

function seemsEncrypted(headers: IncomingHttpHeaders, host: string, publicUrl: string | undefined): boolean {
  if (headers["x-forwarded-proto"] === "https") return true;
  const address = publicUrl === undefined ? undefined : new URL(publicUrl);
  return address?.protocol === "https:" && parseHost(address.host)?.name === host;
}
