import { onOneLine } from "../../core/frame.ts";
import type { JsonObject } from "../json-body.ts";

/** A client as it is kept: what the library knows it by. It has no secret, so there is none to keep. */
export interface ClientMetadata {
  readonly client_id: string;
  readonly client_id_issued_at: number;
  readonly client_name: string;
  readonly application_type: "native";
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly ["code"];
  readonly token_endpoint_auth_method: "none";
}

/** A registration that cannot be made good. `error` is one of RFC 7591's. */
export class ClientProblem extends Error {
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata";
  constructor(error: ClientProblem["error"], message: string) {
    super(message);
    this.error = error;
  }
}

const MOST_REDIRECTS = 20;
const LONGEST_REDIRECT = 1_000;
const LONGEST_NAME = 100;

/**
 * Makes of a registration, or of a client's own document, what this hub keeps of it. Clients name more than they need, and
 * things that mean nothing here: those are left out, and one odd redirect costs the others nothing. All are public and
 * native, so a redirect to loopback may come with any port.
 *
 * @throws ClientProblem when nothing is left to answer to.
 */
export function normaliseClient(asked: JsonObject, id: string, issuedAt: number): ClientMetadata {
  return {
    client_id: id,
    client_id_issued_at: issuedAt,
    client_name: nameOf(asked["client_name"]),
    application_type: "native",
    redirect_uris: redirectsIn(asked["redirect_uris"]),
    grant_types: grantTypesIn(asked["grant_types"]),
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

function nameOf(asked: unknown): string {
  const name = typeof asked === "string" && asked.isWellFormed() ? onOneLine(asked.replaceAll("\0", "")).trim() : "";
  return name === "" ? "A client without a name" : Array.from(name).slice(0, LONGEST_NAME).join("");
}

function redirectsIn(asked: unknown): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(asked) ? asked : [];
  const usable = listed.slice(0, MOST_REDIRECTS).filter(isUsableRedirect);
  if (usable.length === 0)
    throw new ClientProblem(
      "invalid_redirect_uri",
      "redirect_uris has none that can be used: https, http to localhost, 127.0.0.1 or [::1], or a scheme of an app's own, without a fragment.",
    );
  return [...new Set(usable)];
}

const VISIBLE = /^[\x21-\x7e]+$/;
const LOOPBACKS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** What a browser would run or open by itself, instead of handing it to an app; and what systems open with rights of their own. */
const NO_APP =
  /^(?:javascript|vbscript|data|blob|file|filesystem|about|view-source|ftp|wss?|mailto|tel|sms|ssh|telnet|smb|intent|search-ms|ms-.*):$/;

function isUsableRedirect(uri: unknown): uri is string {
  if (typeof uri !== "string" || uri.length > LONGEST_REDIRECT || !VISIBLE.test(uri) || uri.includes("#")) return false;
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== "" || password !== "" || NO_APP.test(protocol)) return false;
  if (protocol === "http:") return LOOPBACKS.has(hostname);
  return protocol !== "https:" || !LOOPBACKS.has(hostname);
}

const GRANT_TYPES = ["authorization_code", "refresh_token"] as const;

/** A client that names none of ours is taken to want what all clients use. */
function grantTypesIn(asked: unknown): readonly string[] {
  const named: readonly unknown[] = Array.isArray(asked) ? asked : [];
  const ours = GRANT_TYPES.filter((type) => named.includes(type));
  return ours.includes("authorization_code") ? ours : GRANT_TYPES;
}

/** Where a redirect leads, as a person can judge it. */
export type Destination =
  | { readonly kind: "site"; readonly host: string; readonly origin: string }
  | { readonly kind: "this machine"; readonly host: string; readonly origin: string }
  | { readonly kind: "app"; readonly host: string; readonly origin: string };

/** `origin` is as a content security policy names it. Names with characters of other scripts are shown as they are resolved. */
export function destinationOf(redirect: string): Destination {
  const { protocol, host, hostname, origin } = new URL(redirect);
  if (protocol === "https:") return { kind: "site", host, origin };
  if (protocol === "http:") return { kind: "this machine", host, origin };
  return { kind: "app", host: hostname === "" ? protocol : `${protocol}//${hostname}`, origin: protocol };
}
