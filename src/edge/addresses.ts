import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIPv4, isIPv6 } from "node:net";

/** The names a hub on this machine is called by. */
export const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** A Host as sent, taken apart: lower case, without a trailing dot; an IPv6 address keeps its brackets. */
export interface HostName {
  readonly name: string;
  /** Empty when none was sent. */
  readonly port: string;
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)\.?(?::(\d{1,5}))?$/;

/** Undefined for what is no host name. */
export function parseHost(host: string): HostName | undefined {
  const match = HOST.exec(host.toLowerCase());
  const name = match?.[1];
  if (name === undefined || (name.startsWith("[") && !isIPv6(name.slice(1, -1)))) return undefined;
  return { name, port: match?.[2] ?? "" };
}

/**
 * Says which Host headers are answered: loopback names with any port, the public address's, and those listed. `name` is
 * that name without a port, `name:8090` with that one, `name:*` with any or none.
 */
export function hostRules(listed: readonly string[], publicUrl: string | undefined): (host: HostName) => boolean {
  const anyPort = new Set(LOOPBACK);
  const exact = new Set<string>();
  for (const entry of listed) {
    const any = entry.endsWith(":*");
    const host = parseHost(any ? entry.slice(0, -2) : entry);
    if (host && any) anyPort.add(host.name);
    else if (host) exact.add(`${host.name}:${host.port}`);
  }
  // A proxy in front may or may not hand on the port; the name is what counts.
  const ours = publicUrl === undefined ? undefined : parseHost(new URL(publicUrl).host);
  if (ours) anyPort.add(ours.name);
  return ({ name, port }) => anyPort.has(name) || exact.has(`${name}:${port}`);
}

/**
 * Says which web origins may call: those listed, the public address's, and a page's own host. On loopback any of its
 * names stands for the others, on the same port. `null` is nobody's origin.
 */
export function originRules(
  listed: readonly string[],
  publicUrl: string | undefined,
): (origin: string, host: HostName) => boolean {
  const known = new Set(
    [...listed, ...(publicUrl === undefined ? [] : [publicUrl])]
      .filter((url) => URL.canParse(url))
      .map((url) => new URL(url).origin),
  );
  return (origin, host) => {
    if (known.has(origin)) return true;
    const match = /^https?:\/\/(.+)$/.exec(origin);
    const from = match?.[1] === undefined ? undefined : parseHost(match[1]);
    if (!from || from.port !== host.port) return false;
    return from.name === host.name || (LOOPBACK.has(from.name) && LOOPBACK.has(host.name));
  };
}

/**
 * Says who a request comes from: the connection's other end, or, when that is a trusted proxy, the right-most hop of
 * X-Forwarded-For that is none. What stands left of it is the client's own word and is not believed.
 *
 * @param proxies  addresses and CIDR ranges; v4 addresses match their v6 form too.
 */
export function addressRules(proxies: readonly string[]): (peer: string, forwardedFor: string | undefined) => string {
  const trusted = listOf(proxies);
  const isTrusted = (address: string) => trusted.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  // Most requests come over few peers, and taking an address apart costs as much as finding the route.
  let last = { peer: "", address: "unknown" };
  return (peer, forwardedFor) => {
    if (peer !== last.peer) last = { peer, address: plainAddress(peer) ?? "unknown" };
    const { address } = last;
    if (forwardedFor === undefined || address === "unknown" || !isTrusted(address)) return address;
    return clientIn(forwardedFor, address, isTrusted);
  };
}

/** Goes along the hops from the right while they are trusted. What is no address ends the way: nobody vouches for it. */
function clientIn(forwardedFor: string, proxy: string, isTrusted: (address: string) => boolean): string {
  let address = proxy;
  for (const hop of forwardedFor.split(",").reverse()) {
    const next = plainAddress(hop.trim());
    if (next === undefined) return address;
    address = next;
    if (!isTrusted(address)) return address;
  }
  return address;
}

/** An address in one spelling: without port, brackets or zone, and v4 as v4. Undefined for anything else. */
export function plainAddress(text: string): string | undefined {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  const bare = (bracketed ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")).replace(/%.*$/, "");
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  return mappedV4(canonical) ?? canonical;
}

/** `::ffff:7f00:1` is 127.0.0.1 written the long way. */
function mappedV4(canonical: string): string | undefined {
  const match = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!match) return undefined;
  const [high, low] = [Number.parseInt(match[1] ?? "", 16), Number.parseInt(match[2] ?? "", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Each entry is an address or a range: the setting takes nothing else. */
function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

const PROXY_HEADERS =
  /^(via|forwarded|x-(?:forwarded|original|envoy|cluster|client)-.*|x-real-ip|true-client-ip|(?:cf|fly|fastly|tailscale)-.*)$/;

/**
 * Whether a request comes from beyond this network: a header of a proxy or tunnel says so, whoever connected, or it is for
 * the public address's name.
 */
export function isPublicSide(headers: IncomingHttpHeaders, publicUrl: string | undefined): boolean {
  for (const name in headers) if (PROXY_HEADERS.test(name)) return true;
  if (publicUrl === undefined) return false;
  const name = parseHost(headers.host ?? "")?.name;
  return name === parseHost(new URL(publicUrl).host)?.name && !LOOPBACK.has(name ?? "");
}
