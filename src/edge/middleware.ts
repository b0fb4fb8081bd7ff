import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Callers } from "../access/caller.ts";
import { type Origin, type Path, PATHS } from "../access/presence.ts";
import type { Throttle } from "../access/throttle.ts";
import { fail, HubError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import type { Caller, Role } from "../core/operation.ts";
import { nobody } from "../core/roles.ts";
import { addressRules, type HostName, hostRules, originRules, parseHost } from "./addresses.ts";
import { sessionSecretIn } from "./cookies.ts";
import type { Ask } from "./exchange.ts";
import { type LocalitySettings, openLocality } from "./locality.ts";

/** Which requests are for this hub. The names are those of the settings. */
export interface GateSettings extends LocalitySettings {
  readonly CREWROOM_ALLOWED_HOSTS: readonly string[];
  readonly CREWROOM_ALLOWED_ORIGINS: readonly string[];
}

/** What every request but a health check goes through, in this order: form, Host, Origin, address; then its credential. */
export interface Gate {
  /**
   * The client's address.
   *
   * @throws HubError `bad_input`, `headers_too_large`, `host_not_allowed`, `origin_not_allowed`
   */
  admit(incoming: IncomingMessage): string;
  /**
   * Who is calling. Only failures count against an address; a right token is never kept out by others' wrong ones.
   *
   * @param provesPath  false where the call does not show that a session works by its path.
   * @throws HubError `not_signed_in`, `too_many_attempts`, `bad_input`
   */
  signIn(ask: Omit<Ask, "params">, provesPath?: boolean): Promise<Caller>;
  /** The same for what anyone may call: without a credential it is nobody, who may make an organization if that is open. */
  signInIfAny(ask: Omit<Ask, "params">): Promise<Caller>;
  /** Without a credential it is a guest where sign-in by tools is on; elsewhere it is refused. */
  signInOrGuest(ask: Omit<Ask, "params">): Promise<Caller>;
  /**
   * Who a token stands for that a guest's call carried.
   *
   * @throws HubError `not_signed_in`, `too_many_attempts`
   */
  signInByTool(ask: Omit<Ask, "params">, token: string): Promise<Caller>;
  /**
   * Who speaks by an inbound hook.
   *
   * @param token  what its signature stands for, where it brings none.
   * @throws HubError `not_signed_in`, `too_many_attempts`
   */
  signInByHook(ask: Omit<Ask, "params">, hook: string, token?: string): Promise<Caller>;
}

export function openGate(settings: GateSettings, callers: Callers, throttle: Throttle): Gate {
  const isOurHost = hostRules(settings.CREWROOM_ALLOWED_HOSTS, settings.CREWROOM_PUBLIC_URL);
  const isOurOrigin = originRules(settings.CREWROOM_ALLOWED_ORIGINS, settings.CREWROOM_PUBLIC_URL);
  const clientAddress = addressRules(settings.CREWROOM_TRUSTED_PROXIES);
  const locality = openLocality(settings);
  const { signIn, signInByTool, signInByHook } = openSignIn(callers, throttle);

  function refuseOtherOrigins(origin: string | undefined, host: HostName) {
    if (origin !== undefined && !isOurOrigin(origin, host)) throw fail("origin_not_allowed");
  }

  return {
    admit(incoming) {
      refuseBadForm(incoming);
      const host = parseHost(incoming.headers.host ?? "");
      if (!host) throw fail("bad_input", { field: "Host", problem: "must be a host name" });
      if (!isOurHost(host)) throw fail("host_not_allowed");
      refuseOtherOrigins(incoming.headers.origin, host);
      return clientAddress(
        incoming.socket.remoteAddress ?? "",
        incoming.headers["x-forwarded-for"] as string | undefined,
      ); // joined by Node
    },
    signIn,
    async signInIfAny(ask) {
      const caller = hasCredential(ask.headers) ? await signIn(ask) : nobody(ask.address);
      return { ...caller, roles: new Set([...caller.roles, ...signUpOf(ask)]) };
    },
    async signInOrGuest(ask) {
      if (hasCredential(ask.headers) || !locality.hasChatLogin(ask.headers)) return signIn(ask);
      return { ...nobody(ask.address), roles: new Set<Role>(["guest", ...signUpOf(ask)]) };
    },
    signInByTool,
    signInByHook,
  };

  function signUpOf({ headers }: Omit<Ask, "params">): Role[] {
    return locality.mayRegister(headers) ? ["sign_up"] : [];
  }
}

/** Finds the caller of a request. Only failures count against its address. */
function openSignIn(callers: Callers, throttle: Throttle) {
  return {
    signIn,
    signInByTool: (ask: Omit<Ask, "params">, token: string) =>
      counted(ask, (origin) => callers.byToken(token, origin), true),
    signInByHook: (ask: Omit<Ask, "params">, hook: string, token?: string) =>
      counted(
        ask,
        (origin) => callers.byHook(token ?? bearerOf(ask.headers.authorization), hook, origin),
        token !== undefined || hasCredential(ask.headers),
      ),
  };

  function signIn(ask: Omit<Ask, "params">, provesPath = true): Promise<Caller> {
    const { method, query, headers } = ask;
    return counted(ask, async (from) => {
      const origin = provesPath ? from : { ...from, path: null };
      if (TOKEN_IN_QUERY.test(query))
        throw fail("not_signed_in", { problem: "A token in the address is seen by others: it must be in the header" });
      const secret = headers.authorization === undefined ? sessionSecretIn(headers.cookie) : undefined;
      if (secret === undefined) return callers.byToken(bearerOf(headers.authorization), origin);
      refuseForeignPage(method, headers);
      return callers.bySession(secret, origin);
    });
  }

  async function counted(
    ask: Omit<Ask, "params">,
    find: (origin: Origin) => Promise<Caller>,
    brings = hasCredential(ask.headers) || TOKEN_IN_QUERY.test(ask.query),
  ): Promise<Caller> {
    const { address } = ask;
    const origin = originOf(ask);
    try {
      return await find(origin);
    } catch (error) {
      // To bring none is how every client begins: it is no guess.
      if (error instanceof HubError && error.code === "not_signed_in" && brings) {
        await throttle.failed(address);
        await throttle.refuseIfSpent(address);
      }
      throw error;
    }
  }
}

function hasCredential({ authorization, cookie }: IncomingHttpHeaders): boolean {
  return authorization !== undefined || sessionSecretIn(cookie) !== undefined;
}

/** A browser sends its cookie wherever the request was made; what changes something must have been made by a page of ours. */
export function refuseForeignPage(method: string, { origin, "sec-fetch-site": site }: IncomingHttpHeaders) {
  if (method === "GET" || method === "HEAD") return;
  // The origin was compared with ours at the gate; browsers send one with every POST.
  if (site === undefined ? origin === undefined : site !== "same-origin") throw fail("origin_not_allowed");
}

/** Most headers of a request. Node would drop those beyond its own bound in silence. */
const MOST_HEADERS = 200;
/** Longest address (characters), its query included. */
const LONGEST_TARGET = 8_192;
/** What could mean one thing to a proxy and another to us. */
const ODD_PATH = /[\\\0]|%(?![0-9a-f]{2})|%00|%5c|[^\x21-\x7e]/i;

function refuseBadForm(incoming: IncomingMessage) {
  const { httpVersion, rawHeaders, url = "" } = incoming;
  if (httpVersion !== "1.1") throw fail("bad_input", { field: "", problem: "must be HTTP/1.1" });
  if (rawHeaders.length > MOST_HEADERS * 2) throw fail("headers_too_large");
  refuseTwice(rawHeaders, "host");
  refuseTwice(rawHeaders, "authorization");
  if (!url.startsWith("/") || url.length > LONGEST_TARGET)
    throw fail("bad_input", { field: "", problem: "must be for an address like /api/whats_new" });
  const question = url.indexOf("?");
  if (ODD_PATH.test(question < 0 ? url : url.slice(0, question)))
    throw fail("bad_input", { field: "", problem: "has an address with odd characters" });
}

/** Node keeps the first of two; a proxy may have looked at the second. */
function refuseTwice(rawHeaders: readonly string[], name: string) {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? "";
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  if (count > 1) throw fail("bad_input", { field: name, problem: "comes twice" });
}

const TOKEN_IN_QUERY = /(?:^|&)(?:access_)?token=/i;
const BEARER = /^bearer(?: +|$)(.*)$/i;

function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined) throw fail("not_signed_in", { problem: "There is no Authorization header" });
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw fail("not_signed_in", { problem: "The Authorization header is not of the form Bearer <token>" });
  return token;
}

function originOf({ headers, address }: Omit<Ask, "params">): Origin {
  const { "x-crewroom-session": session, "x-crewroom-path": path } = headers;
  return { address, session: sessionOf(session), path: pathOf(path) };
}

const SESSION = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.session}}$`);

/** The name that a client gives its session, if it may be one. @throws HubError `bad_input` */
export function sessionOf(header: unknown, field = "X-Crewroom-Session"): string {
  if (header === undefined || header === "") return "-";
  if (typeof header !== "string" || !SESSION.test(header)) {
    throw fail("bad_input", {
      field,
      problem: `must be up to ${LIMITS.session} visible ASCII characters`,
    });
  }
  return header;
}

function pathOf(header: string | readonly string[] | undefined): Path {
  if (header === undefined || header === "") return "tool";
  const path = PATHS.find((known) => known === header);
  if (path === undefined)
    throw fail("bad_input", { field: "X-Crewroom-Path", problem: `must be one of ${PATHS.join(", ")}` });
  return path;
}
