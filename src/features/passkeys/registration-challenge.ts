import { hash } from "node:crypto";
import type { Caller } from "../../core/operation.ts";

/**
 * What a registration answers, base64url: bound to the session before the page, so that what was recorded in another one is
 * worth nothing. Within the session it registers the same passkey again, which changes nothing.
 */
export function registrationChallenge({ organization, handle, credential }: Caller): string {
  return hash("sha256", JSON.stringify(["crewroom passkey", organization, handle, credential]), "base64url");
}
