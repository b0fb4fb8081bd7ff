/** What a person can let a client do, in the words of the sign-in by browser. Each includes none of the others. */
export const SCOPES = ["hub:read", "hub:write", "hub:admin"] as const;

export type Scope = (typeof SCOPES)[number];

/** What is asked for when a client names nothing of ours. Administering is never taken for granted. */
export const USUAL_SCOPES: readonly Scope[] = ["hub:read", "hub:write"];

/**
 * The scopes of ours in what a client asks for, in our order: it may name others, which mean nothing here. Reading goes
 * with everything.
 */
export function scopesIn(asked: string | undefined): readonly Scope[] {
  const named = new Set(asked?.split(" "));
  const ours = SCOPES.filter((scope) => named.has(scope));
  if (ours.length === 0) return USUAL_SCOPES;
  return SCOPES.filter((scope) => scope === "hub:read" || ours.includes(scope));
}

/** What a grant of these scopes is as a credential. */
export function flagsOf(scopes: readonly Scope[]): { readonly readonly: number; readonly admin: number } {
  const admin = scopes.includes("hub:admin");
  return { readonly: Number(!admin && !scopes.includes("hub:write")), admin: Number(admin) };
}
