import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps, type RequestOptions } from "node:https";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";

/** Something outside that this hub may not, or could not, reach. The message is a fact about it, without its text. */
export class OutboundProblem extends Error {
  /** What it was answered with, where it was. */
  readonly status: number | undefined;
  constructor(problem: string, status?: number) {
    super(problem);
    this.status = status;
  }
}

export interface Outbound {
  /**
   * Fetches a small document from the public internet: https on its usual port, no redirects, the address that the name was
   * resolved to once, a connection of its own.
   *
   * @throws OutboundProblem
   */
  get(address: URL, bounds: { readonly bytes: number; readonly ms: number }): Promise<Buffer>;
  /**
   * Sends a body the same way, and takes any 2xx for received. What comes back is not read, for whoever named the address
   * must not see it. The hosts that the operator listed are reached wherever they are.
   *
   * @throws OutboundProblem
   */
  post(address: URL, sent: Sent, ms: number): Promise<void>;
}

export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What tests change: how names are resolved, and how a request is made to what they were resolved to. */
export interface OutboundParts {
  /** Hosts of this hub's own network, as in an address, that may be sent to: `ntfy.lan:8080`. */
  readonly listed?: readonly string[];
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
  readonly request?: (options: RequestOptions, answered: (answer: IncomingMessage) => void) => ClientRequest;
}

/** The way out. What strangers name is reached through it, and it never leads back into this network. */
export function openOutbound({
  listed = [],
  resolve = resolveAll,
  request = requestHttps,
}: OutboundParts = {}): Outbound {
  const reach = async (address: URL, asked: Omit<Asked, "host" | "signal">, ms: number) => {
    const isListed = asked.method === "POST" && listed.includes(address.host);
    const problem = isListed ? undefined : oddityOf(address);
    if (problem !== undefined) throw new OutboundProblem(problem);
    const signal = AbortSignal.timeout(ms);
    const host = await inTime(
      isListed ? findAny(address.hostname, resolve) : findPublic(address.hostname, resolve),
      signal,
    );
    const make = address.protocol === "http:" ? requestHttp : request;
    return await exchange(make, address, { ...asked, host, signal });
  };
  return {
    async get(address, { bytes, ms }) {
      return await reach(address, { method: "GET", headers: { accept: "application/json" }, bytes }, ms);
    },
    async post(address, { headers, body }, ms) {
      await reach(
        address,
        { method: "POST", headers: { ...headers, "content-length": Buffer.byteLength(body) }, body },
        ms,
      );
    },
  };
}

/**
 * Why nothing is sent to an address, as far as it tells by itself: what its name stands for is looked at each time.
 * Undefined for one that may be tried.
 */
export function problemOfTarget(text: string, listed: readonly string[]): string | undefined {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (!address || !["http:", "https:"].includes(address.protocol)) return "must be an https address";
  if (address.username !== "" || address.password !== "") return "must have no user in it";
  if (listed.includes(address.host)) return undefined;
  if (oddityOf(address) !== undefined || !PUBLIC_NAME.test(address.hostname))
    return "must be https on its usual port, to a name on the public internet; the operator can list others in CREWROOM_OUTBOUND_HOSTS";
  return undefined;
}

/** Has a dot, and does not end as names of machines and of local networks do. */
const PUBLIC_NAME = /^(?=.*[^.]\.[^.])(?!.*\.(localhost|local|internal|lan|home\.arpa|localdomain)\.?$)/i;

function oddityOf({ protocol, port, username, password, hostname }: URL): string | undefined {
  if (protocol !== "https:" || port !== "") return "it must be https on its usual port";
  if (username !== "" || password !== "") return "its address has a user in it";
  // A literal needs no name server, so nobody outside has vouched for it.
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? undefined : "its host must be a name";
}

function resolveAll(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true });
}

/** The first address of a name, if all of them are public: one that is not could be tried just as well. */
async function findPublic(name: string, resolve: NonNullable<OutboundParts["resolve"]>): Promise<LookupAddress> {
  const found = await resolve(name).catch(() => []);
  const [first] = found;
  if (!first || !found.every(({ address }) => isPublicAddress(address)))
    throw new OutboundProblem("its host has no public address");
  return first;
}

/** Where a host is that the operator listed. */
async function findAny(name: string, resolve: NonNullable<OutboundParts["resolve"]>): Promise<LookupAddress> {
  const literal = name.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0) return { address: literal, family: isIP(literal) };
  const [first] = await resolve(name).catch(() => []);
  if (!first) throw new OutboundProblem("its host has no address");
  return first;
}

const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // shared by a provider's customers
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, and where clouds keep their secrets
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocols
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // relays of old
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 3], // multicast, reserved, broadcast
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["2001::", 23], // protocols, tunnels
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // carries an IPv4 address of any sort
  ["3fff::", 20], // documentation
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, "ipv6");

/** Of IPv6 only this is given out: loopback, local, mapped and multicast addresses lie elsewhere. */
const GIVEN_OUT = new BlockList();
GIVEN_OUT.addSubnet("2000::", 3, "ipv6");

/** Whether an address belongs to the public internet. @source IANA's special-purpose address registries (RFC 6890). */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC.check(address, "ipv4");
  return family === 6 && GIVEN_OUT.check(address, "ipv6") && !NOT_PUBLIC.check(address, "ipv6");
}

interface Asked {
  readonly method: "GET" | "POST";
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  /** How large the answer may be, where it is read at all. */
  readonly bytes?: number;
  readonly host: LookupAddress;
  readonly signal: AbortSignal;
}

function exchange(make: NonNullable<OutboundParts["request"]>, address: URL, asked: Asked): Promise<Buffer> {
  const { method, headers, body, bytes, host, signal } = asked;
  return new Promise((resolve, reject) => {
    const refuse = (problem: string, status?: number) => {
      reject(new OutboundProblem(problem, status));
      sent.destroy();
    };
    const options: RequestOptions = {
      method,
      host: address.hostname.replace(/^\[|\]$/g, ""),
      port: address.port || (address.protocol === "http:" ? 80 : 443),
      path: address.pathname + address.search,
      headers: { ...headers, "accept-encoding": "identity", "user-agent": "crewroom" },
      lookup: only(host),
      // Kept connections are found by name, and would outlive what the name was resolved to.
      agent: false,
      signal,
    };
    const sent = make(options, (answer) => {
      const { statusCode: status = 0 } = answer;
      if (bytes === undefined) {
        if (status < 200 || status > 299) return refuse(`it was answered with ${status}`, status);
        resolve(Buffer.alloc(0));
        return void sent.destroy();
      }
      if (status !== 200) return refuse("it was not answered with 200", status);
      if (answer.headers["content-encoding"] !== undefined) return refuse("it is encoded");
      readAnswer(answer, bytes, { resolve, refuse: (problem) => refuse(signal.aborted ? TOO_SLOW : problem) });
    });
    sent.on("error", () => refuse(signal.aborted ? TOO_SLOW : "its host could not be reached"));
    sent.end(body);
  });
}

interface Reading {
  readonly resolve: (read: Buffer) => void;
  readonly refuse: (problem: string) => void;
}

function readAnswer(answer: IncomingMessage, bytes: number, { resolve, refuse }: Reading) {
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > bytes) refuse(`it is larger than ${bytes} bytes`);
    else chunks.push(chunk);
  });
  answer.on("end", () => resolve(Buffer.concat(chunks)));
  answer.on("error", () => refuse("it broke off"));
}

const TOO_SLOW = "it took too long";

/** Answers for any name with the one address that was found fit. */
function only({ address }: LookupAddress): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_, options, found) => {
    if (options.all) found(null, [{ address, family }]);
    else found(null, address, family);
  };
}

async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    stop = () => reject(new OutboundProblem(TOO_SLOW));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}
