import type { ErrorCode } from "../../core/errors.ts";

/** What went wrong, as OAuth names it, in our words. @source RFC 6749 5.2, RFC 7591 3.2.2. */
export interface Told {
  readonly error: string;
  readonly error_description: string;
}

/** The fact and the next step; the library's own words say neither. */
const SAYS: Readonly<Record<string, string>> = {
  access_denied: "The person did not let this client in. Ask them before you try again.",
  consent_required: "The person has to agree on the page. Send the browser there, without prompt=none.",
  interaction_required: "The person has to agree on the page. Send the browser there, without prompt=none.",
  invalid_client:
    "This hub knows no such client; it drops those that nobody uses. Begin again, so that the client registers anew.",
  invalid_grant:
    "The code or refresh token does not hold: used, ended, run out, or made for another client, redirect or verifier. Sign in again.",
  invalid_redirect_uri: "The client has not registered that redirect address. Register it, then sign in again.",
  invalid_target: "Access is granted to this hub alone. Name its /mcp address as resource, or leave resource out.",
  login_required: "The person has to sign in on the page. Send the browser there, without prompt=none.",
  server_error: "This is a fault of the hub. Tell the operator the trace.",
  unauthorized_client: "The client is not registered for that grant type. Register it with that one.",
  unsupported_grant_type: "Only authorization_code and refresh_token are served. Use one of these.",
  unsupported_response_type: "Only response_type=code is served. Use that.",
};

/** One of the library's errors in our words; where it names a parameter, its own sentence is the fact. */
export function inOurWords(error: string, description = ""): Told {
  const said = SAYS[error] ?? asSentence(description || `The request was refused: ${error}`);
  return { error, error_description: withoutOdd(said) };
}

function asSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

const OF_CODE: Readonly<Record<string, string>> = {
  too_many_from_address: "temporarily_unavailable",
  storage_full: "temporarily_unavailable",
  database_away: "temporarily_unavailable",
  outcome_unknown: "temporarily_unavailable",
  stopping: "temporarily_unavailable",
  internal: "server_error",
} satisfies Partial<Record<ErrorCode, string>>;

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}

/** One of the hub's refusals, for a client of the authorization server. */
export function asOAuthError({ code, message, next }: Refused): Told {
  return { error: OF_CODE[code] ?? "invalid_request", error_description: withoutOdd(`${message} ${next}`) };
}

/** The characters that such a description may have. @source RFC 6749 5.2. */
function withoutOdd(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, " ");
}
