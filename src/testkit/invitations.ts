import { makeToken } from "../access/tokens.ts";
import { HubError } from "../core/errors.ts";
import { execute } from "../core/execute.ts";
import type { Operation } from "../core/operation.ts";
import { nobody } from "../core/roles.ts";
import { acceptInvitation } from "../features/people/accept-invitation.ts";
import { insertInvitation, type NewInvitation } from "../features/people/invitation-queries.ts";
import type { Value } from "./actor.ts";
import type { TestHub } from "./hub.ts";

/** What a newcomer chooses on the page. */
export const NEW_PASSWORD = "a password that Eve chose";

/** The secret of a link, from the answer that gave it. */
export function secretOf(invited: Value): string {
  return String(invited["link"]).split("/join/")[1] ?? "";
}

/** What a page does: it runs an operation that has no address, for whoever came. */
export async function onPage({ hub }: TestHub, operation: Operation, input: Value): Promise<Value> {
  const caller = nobody("203.0.113.9");
  return (await execute(hub.core, operation, { caller, input })).value;
}

/** The same, told in one line: `ok`, or the refusal. */
export async function tryOnPage(hub: TestHub, operation: Operation, input: Value): Promise<string> {
  try {
    await onPage(hub, operation, input);
    return "ok";
  } catch (error) {
    if (error instanceof HubError) return `${error.status} ${error.code}`;
    throw error;
  }
}

/** Uses a link of `main` up. */
export function accept(hub: TestHub, token: string, more: Value = {}): Promise<Value> {
  return onPage(hub, acceptInvitation, { org_id: "main", token, password: NEW_PASSWORD, ...more });
}

/** Makes a link good for an hour: to choose a new password, as an administrator's reset does, unless `more` says. Gives its secret. */
export async function makeLink({ hub }: TestHub, handle: string, more: Partial<NewInvitation> = {}): Promise<string> {
  const secret = makeToken("inv");
  const invitation = { organization: "main", id: `reset-${handle}`, secret, purpose: "password", handle } as const;
  const rest = { name: "", role: "member", question: null, createdBy: "dora" } as const;
  await hub.store.write("main", (tx) =>
    insertInvitation(tx, { ...invitation, ...rest, expiresAt: tx.now + 3_600_000, ...more }),
  );
  return secret;
}
