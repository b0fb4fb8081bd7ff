import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { passwordField } from "./fields.ts";
import type { Form } from "./form.ts";
import { html, type Html } from "./html.ts";

/** A password to choose, twice: nobody sees what is typed. */
export function newPasswordFields(role: "member" | "admin" | undefined, label: string): Html {
  const least = role === "admin" ? LIMITS.adminPasswordLeast : LIMITS.passwordLeast;
  const hint = role === undefined ? undefined : `At least ${least} characters; a few words are good.`;
  return html`${passwordField({ name: "new_password", label, ...(hint && { hint }), autocomplete: "new-password" })}
${passwordField({ name: "again", label: "The same again", autocomplete: "new-password" })}`;
}

/** @throws HubError `bad_input` when the two differ. */
export function chosenPassword(form: Form): string {
  const password = form.get("new_password") ?? "";
  if (password !== (form.get("again") ?? ""))
    throw fail("bad_input", { field: "The passwords", problem: "are not the same" });
  return password;
}
