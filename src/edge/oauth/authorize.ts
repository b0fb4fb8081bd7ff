import { scopesIn } from "../../access/oauth/scopes.ts";
import type { Ask } from "../exchange.ts";
import { parseQuery } from "../query.ts";
import { PATHS } from "./metadata.ts";
import { isOwnResource, resourceOf } from "./own-addresses.ts";
import type { Rewritten } from "./server.ts";

/** What a client asks for when it sends the browser here. */
export interface AuthorizationRequest {
  readonly clientId: string;
  /** As the library is to see it. */
  readonly rewritten: Rewritten;
  /** Why it cannot be served, whatever else it says. */
  readonly problem: string | undefined;
}

const AS_SENT = ["client_id", "redirect_uri", "response_type", "state", "code_challenge", "code_challenge_method"];
/** What a client may ask of the page; more would be refused, where nobody needs it. */
const PROMPTS: ReadonlySet<string> = new Set(["none", "login", "consent"]);

/**
 * Reads an authorization request: what means something here, in one spelling. Other parameters are left out, other scopes
 * too; the resource is this hub unless another one is named.
 *
 * @throws HubError `bad_input` for a parameter that comes twice.
 */
export function readAuthorization({ query }: Ask, url: string): AuthorizationRequest {
  const asked = parseQuery(query);
  const resource = asked.get("resource") || resourceOf(url);
  const seen = new URLSearchParams([
    ...[...asked].filter(([name]) => AS_SENT.includes(name)),
    // So that what goes wrong comes back in the same way, whatever else was asked for.
    ["response_mode", "query"],
    ["scope", scopesIn(asked.get("scope")).join(" ")],
    ["resource", isOwnResource(url, resource) ? resourceOf(url) : resource],
  ]);
  const prompts = (asked.get("prompt") ?? "").split(" ").filter((prompt) => PROMPTS.has(prompt));
  if (prompts.length > 0) seen.set("prompt", prompts.join(" "));
  return {
    clientId: asked.get("client_id") ?? "",
    rewritten: { path: `${PATHS.authorize}?${seen.toString()}` },
    problem: problemWithProof(asked),
  };
}

const CHALLENGE = /^[\w-]{43}$/;

/** @source RFC 7636; OAuth 2.1 leaves S256 alone. */
function problemWithProof(asked: ReadonlyMap<string, string>): string | undefined {
  if (asked.get("code_challenge_method") !== "S256") return "code_challenge_method: must be S256 (PKCE)";
  if (!CHALLENGE.test(asked.get("code_challenge") ?? ""))
    return "code_challenge: must be 43 base64url characters (PKCE)";
  return undefined;
}

/** What the library needs of a token request; a resource that is ours goes without saying. */
const TOKEN_FIELDS = ["grant_type", "client_id", "code", "code_verifier", "redirect_uri", "refresh_token", "scope"];
const REVOCATION_FIELDS = ["client_id", "token", "token_type_hint"];

/** A form for the token address. Foreign resources are left in it, for the library to refuse. */
export function tokenForm(form: ReadonlyMap<string, string>, url: string): URLSearchParams {
  const resource = form.get("resource");
  const seen = pick(form, TOKEN_FIELDS);
  if (resource && !isOwnResource(url, resource)) seen.set("resource", resource);
  const scope = form.get("scope");
  if (scope !== undefined) seen.set("scope", scopesIn(scope).join(" "));
  return seen;
}

export function revocationForm(form: ReadonlyMap<string, string>): URLSearchParams {
  return pick(form, REVOCATION_FIELDS);
}

function pick(form: ReadonlyMap<string, string>, names: readonly string[]): URLSearchParams {
  return new URLSearchParams([...form].filter(([name]) => names.includes(name)));
}
