import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";

/**
 * Refuses a password that is too short to keep, or too long to hash. It is taken exactly as it was sent, spaces too.
 *
 * @throws HubError `bad_input`
 */
export function refuseWeakPassword(password: string, role: "member" | "admin", field = "password"): void {
  const least = role === "admin" ? LIMITS.adminPasswordLeast : LIMITS.passwordLeast;
  if (Array.from(password).length < least)
    throw fail("bad_input", { field, problem: `must have at least ${least} characters` });
  if (Buffer.byteLength(password) > LIMITS.passwordBytes)
    throw fail("bad_input", { field, problem: `may have at most ${LIMITS.passwordBytes} bytes` });
}
