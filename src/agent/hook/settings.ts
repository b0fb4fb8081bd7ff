import { clientNamed, type ClientName } from "../adapters/adapters.ts";

/** What the hook reads from the environment. The names are ChatRoomMCP's with the prefix changed. */
export const HOOK_VARIABLES = {
  CREWROOM_URL: { usual: "http://127.0.0.1:8090", says: "The hub's address." },
  CREWROOM_TOKEN: { usual: "", says: "The agent's token; without one the hook does nothing." },
  CREWROOM_ROOM: { usual: "", says: "The room; the token's own unless given." },
  CREWROOM_HOOK_DEBUG: { usual: "", says: "1, true, on or yes: one line on stderr for what came of each run." },
  CREWROOM_HOOK_MIN_INTERVAL: {
    usual: "60",
    says: "Seconds between two checks while the agent works; 0 checks after every tool.",
  },
  CREWROOM_HOOK_EVENT: { usual: "", says: "The event's name instead of the one on standard input; for trying it out." },
  CREWROOM_HOOK_CLIENT: {
    usual: "claude",
    says: "The client it runs for, unless --client says it: claude, codex, gemini, cursor or opencode.",
  },
  CREWROOM_HOOK_VERSION_CHECK: {
    usual: "on",
    says: "off, 0, false or no: never says that this copy is not the hub's.",
  },
  CREWROOM_HOOK_VERSION_INTERVAL: { usual: "86400", says: "Seconds between two times that it says so." },
} as const satisfies Record<string, { readonly usual: string; readonly says: string }>;

type Name = keyof typeof HOOK_VARIABLES;
export type Environment = Readonly<Record<string, string | undefined>>;

export interface HookSettings {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
  readonly room: string | undefined;
  readonly debug: boolean;
  /** In ms. */
  readonly minInterval: number;
  readonly event: string | undefined;
  readonly client: ClientName;
  readonly versionCheck: boolean;
  /** In ms. */
  readonly versionInterval: number;
}

/** A value that cannot be used counts as none: the hook runs at every step of an agent and must never be in its way. */
export function readHookSettings(environment: Environment): HookSettings {
  const given = (name: Name) => environment[name]?.trim() || HOOK_VARIABLES[name].usual;
  return {
    url: given("CREWROOM_URL").replace(/\/+$/, ""),
    token: given("CREWROOM_TOKEN") || undefined,
    room: given("CREWROOM_ROOM") || undefined,
    debug: /^(1|true|on|yes)$/i.test(given("CREWROOM_HOOK_DEBUG")),
    minInterval: milliseconds("CREWROOM_HOOK_MIN_INTERVAL"),
    event: given("CREWROOM_HOOK_EVENT") || undefined,
    client: clientNamed(given("CREWROOM_HOOK_CLIENT")) ?? "claude",
    versionCheck: !/^(off|0|false|no)$/i.test(given("CREWROOM_HOOK_VERSION_CHECK")),
    versionInterval: milliseconds("CREWROOM_HOOK_VERSION_INTERVAL"),
  };

  function milliseconds(name: Name): number {
    const seconds = given(name);
    return 1_000 * Number(/^\d{1,9}(\.\d{1,3})?$/.test(seconds) ? seconds : HOOK_VARIABLES[name].usual);
  }
}
