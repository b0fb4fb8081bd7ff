import { USUAL_SCOPES } from "../../access/oauth/scopes.ts";
import type { Challenge } from "../refusal.ts";
import { protectedResourceAddress } from "./metadata.ts";

/**
 * Tells a client where to sign its person in, and for what.
 *
 * @param sentOne  whether it came with a credential, which then does not hold.
 * @source RFC 6750 3.1, RFC 9728 5.1.
 */
export function challenge(url: string, host: string | undefined, sentOne: boolean): Challenge {
  const metadata = `resource_metadata="${protectedResourceAddress(url, host)}"`;
  const forUse = `scope="${USUAL_SCOPES.join(" ")}"`;
  return ({ code, data }) => {
    if (code === "not_signed_in") return `Bearer ${sentOne ? 'error="invalid_token", ' : ""}${metadata}, ${forUse}`;
    if (code !== "scope_missing") return undefined;
    const { scopes } = data as { scopes: readonly string[] }; // as the list of errors has it
    return `Bearer error="insufficient_scope", scope="${scopes.join(" ")}", ${metadata}`;
  };
}
