import type { Adapter } from "./adapter.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

/** The clients that the hook knows, by the name that `--client` takes. */
export const ADAPTERS = { claude: claudeCode, codex, gemini, cursor, opencode } as const satisfies Record<
  string,
  Adapter
>;

export type ClientName = keyof typeof ADAPTERS;

export const CLIENT_NAMES = Object.keys(ADAPTERS) as readonly ClientName[]; // the table's own keys

export function clientNamed(name: string): ClientName | undefined {
  return CLIENT_NAMES.find((known) => known === name);
}

/** What each client can receive, for `GET /v1/client`. */
export function describeClients() {
  const described = CLIENT_NAMES.map((name) => {
    const { occasions, wokenBy } = ADAPTERS[name];
    return [
      name,
      { events: Object.keys(occasions), woken_by: wokenBy, ...(wokenBy.length === 0 && { pull_only: true }) },
    ];
  });
  return Object.fromEntries(described) as Record<ClientName, object>; // made of the names above
}
