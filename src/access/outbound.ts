import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request as requestHttps, type RequestOptions } from "node:https";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";

/** Something outside that this hub may not, or could not, fetch. The message is a fact about it, without its text. */
export class OutboundProblem extends Error {}

export interface Outbound {
  /**
   * Fetches a small document from the public internet: https on its usual port, no redirects, the address that the name was
   * resolved to once, a connection of its own.
   *
   * @throws OutboundProblem
   */
  get(address: URL, bounds: { readonly bytes: number; readonly ms: number }): Promise<Buffer>;
}

/** What tests change: how names are resolved, and how a request is made to what they were resolved to. */
export interface OutboundParts {
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
  readonly request?: (options: RequestOptions, answered: (answer: IncomingMessage) => void) => ClientRequest;
}

/** The way out. What strangers name is fetched through it, and it never leads back into this network. */
export function openOutbound({ resolve = resolveAll, request = requestHttps }: OutboundParts = {}): Outbound {
  return {
    async get(address, { bytes, ms }) {
      refuseOdd(address);
      const signal = AbortSignal.timeout(ms);
      const host = await inTime(findPublic(address.hostname, resolve), signal);
      return await read(request, { address, host, bytes, signal });
    },
  };
}

function refuseOdd({ protocol, port, username, password, hostname }: URL) {
  if (protocol !== "https:" || port !== "") throw new OutboundProblem("it must be https on its usual port");
  if (username !== "" || password !== "") throw new OutboundProblem("its address has a user in it");
  // A literal needs no name server, so nobody outside has vouched for it.
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) throw new OutboundProblem("its host must be a name");
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

interface Reading {
  readonly address: URL;
  readonly host: LookupAddress;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

function read(make: NonNullable<OutboundParts["request"]>, { address, host, bytes, signal }: Reading): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = (problem: string) => {
      reject(new OutboundProblem(problem));
      sent.destroy();
    };
    const options: RequestOptions = {
      host: address.hostname,
      port: 443,
      path: address.pathname + address.search,
      headers: { accept: "application/json", "accept-encoding": "identity", "user-agent": "crewroom" },
      lookup: only(host),
      // Kept connections are found by name, and would outlive what the name was resolved to.
      agent: false,
      signal,
    };
    const sent = make(options, (answer) => {
      if (answer.statusCode !== 200) return refuse("it was not answered with 200");
      if (answer.headers["content-encoding"] !== undefined) return refuse("it is encoded");
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > bytes) refuse(`it is larger than ${bytes} bytes`);
        else chunks.push(chunk);
      });
      answer.on("end", () => resolve(Buffer.concat(chunks)));
      answer.on("error", () => refuse(signal.aborted ? TOO_SLOW : "it broke off"));
    });
    sent.on("error", () => refuse(signal.aborted ? TOO_SLOW : "its host could not be reached"));
    sent.end();
  });
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
