/** What the watcher reads from the environment besides the hub's address, the token and the room. */
export const WATCH_VARIABLES = {
  CREWROOM_WATCH_MODE: {
    usual: "mentions",
    says: "What it wakes for: mentions, all, or hook-only for nothing. What --set-mode wrote goes before.",
  },
  CREWROOM_WATCH_MIN_INTERVAL: {
    usual: "60",
    says: "Seconds between two lines about what is not for the agent; 0 prints each at once.",
  },
  CREWROOM_WATCH_MENTION_PRIORITY: {
    usual: "on",
    says: "off: what is for the agent waits for the next line like the rest.",
  },
  CREWROOM_WATCH_MENTIONS: { usual: "", says: "More names, by commas, whose mention in a text is for the agent." },
  CREWROOM_WATCH_ALIAS: {
    usual: "on",
    says: "off: the digits in the agent's name (four or more) do not stand for it.",
  },
  CREWROOM_WATCH_DEBUG: { usual: "", says: "1, true, on or yes: says on stderr what it does." },
} as const satisfies Record<string, { readonly usual: string; readonly says: string }>;

export const MODES = ["hook-only", "mentions", "all"] as const;
export type Mode = (typeof MODES)[number];

type Name = keyof typeof WATCH_VARIABLES;

export interface WatchSettings {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
  readonly room: string | undefined;
  readonly session: string | undefined;
  readonly mode: Mode;
  /** In ms. */
  readonly minInterval: number;
  readonly mentionsFirst: boolean;
  readonly names: readonly string[];
  readonly alias: boolean;
  readonly debug: boolean;
  /** What carries the requests; see `Connection`. */
  readonly fetch?: typeof fetch;
}

/** A value that cannot be used counts as none, so that a slip of the pen leaves no agent deaf. */
export function readWatchSettings(environment: Readonly<Record<string, string | undefined>>): WatchSettings {
  const given = (name: Name) => environment[name]?.trim() || WATCH_VARIABLES[name].usual;
  const isOn = (name: Name) => !/^(off|0|false|no)$/i.test(given(name));
  const seconds = given("CREWROOM_WATCH_MIN_INTERVAL");
  const session = environment["CLAUDE_CODE_SESSION_ID"];
  return {
    url: (environment["CREWROOM_URL"]?.trim() || "http://127.0.0.1:8090").replace(/\/+$/, ""),
    token: environment["CREWROOM_TOKEN"]?.trim() || undefined,
    room: environment["CREWROOM_ROOM"]?.trim() || undefined,
    session: session !== undefined && /^[\x21-\x7e]{1,128}$/.test(session) ? session : undefined,
    mode: readMode(given("CREWROOM_WATCH_MODE")) ?? "mentions",
    minInterval: 1_000 * Number(/^\d{1,9}$/.test(seconds) ? seconds : 60),
    mentionsFirst: isOn("CREWROOM_WATCH_MENTION_PRIORITY"),
    names: readNames(given("CREWROOM_WATCH_MENTIONS")),
    alias: isOn("CREWROOM_WATCH_ALIAS"),
    debug: /^(1|true|on|yes)$/i.test(given("CREWROOM_WATCH_DEBUG")),
  };
}

export function readMode(text: string): Mode | undefined {
  return MODES.find((mode) => mode === text.trim());
}

export function readNames(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
