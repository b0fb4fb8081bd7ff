import { isIP } from "node:net";
import { z } from "zod";

/** The organization that a first start makes, and that commands mean unless told. */
export const FIRST_ORGANIZATION = "main";

/** Where a setting's value came from. */
export type SettingSource = "environment" | "default";

interface SettingEntry<Schema extends z.ZodType<unknown, string>> {
  /** Reads the text of the environment; its failure message says what is allowed. */
  readonly read: Schema;
  readonly usual: string;
  readonly says: string;
  readonly secret?: true;
}

const count = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `a whole number from ${least} to ${most}`);
const list = z.string().transform((value) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
const optional = z.string().transform((value) => (value === "" ? undefined : value));
const httpAddress = optional.refine(
  (value) => value === undefined || (URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol)),
  "an http or https address",
);
const postgresAddress = optional.refine(
  (value) => value === undefined || /^postgres(ql)?:\/\//.test(value),
  "a postgres:// address",
);

/** One of these, or nothing: then a rule decides. */
function choiceOrRule<const Choice extends string>(...choices: readonly [Choice, ...Choice[]]) {
  return z.union([z.literal("").transform(() => undefined), z.enum(choices)], {
    error: `one of ${choices.join(", ")}`,
  });
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:(\d{1,5}|\*))?$/i;

function isAddressRange(entry: string): boolean {
  const [address = "", prefix, ...rest] = entry.split("/");
  const longest = isIP(address) === 4 ? 32 : 128;
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest);
  return isIP(address) !== 0 && rest.length === 0 && fits;
}

/** Every setting: its name in the environment, what may stand there, what holds when nothing does. */
export const SETTINGS = {
  CREWROOM_HOST: {
    read: z.string().min(1, "an address to listen on"),
    usual: "127.0.0.1",
    says: "Address to listen on.",
  },
  PORT: { read: count(0, 65_535), usual: "8090", says: "Port to listen on; 0 takes a free one." },
  CREWROOM_DB: {
    read: z.string().min(1, "a file name"),
    usual: "./data/crewroom.db",
    says: "SQLite file, when DATABASE_URL is not set.",
  },
  DATABASE_URL: {
    read: postgresAddress,
    usual: "",
    says: "Postgres to use instead of SQLite; may be a pooled address.",
    secret: true,
  },
  DATABASE_DIRECT_URL: {
    read: postgresAddress,
    usual: "",
    says: "The same Postgres, not pooled, for LISTEN.",
    secret: true,
  },
  CREWROOM_PUBLIC_URL: {
    read: httpAddress,
    usual: "",
    says: "The address others reach this hub by; its host is allowed.",
  },
  CREWROOM_LAN_URL: {
    read: httpAddress,
    usual: "",
    says: "The address by which agents on this hub's own network reach it, for the text that token add prints.",
  },
  CREWROOM_ALLOWED_HOSTS: {
    read: list.refine(
      (hosts) => hosts.every((host) => HOST.test(host)),
      "host names by commas, such as crew.lan or crew.lan:*",
    ),
    usual: "",
    says: "More Host names to answer for, by commas; name:* means any port.",
  },
  CREWROOM_ALLOWED_ORIGINS: { read: list, usual: "", says: "Web origins that may call, by commas." },
  CREWROOM_TRUSTED_PROXIES: {
    read: list.refine((entries) => entries.every(isAddressRange), "addresses or ranges by commas, such as 10.0.0.0/8"),
    usual: "",
    says: "Addresses or ranges whose X-Forwarded-For is believed, by commas.",
  },
  CREWROOM_AUTH_FAIL_LIMIT: {
    read: count(0, 100_000),
    usual: "20",
    says: "Failed sign-ins of one address within the window; 0 = no limit.",
  },
  CREWROOM_AUTH_FAIL_WINDOW_SECONDS: { read: count(1, 86_400), usual: "300", says: "That window, in seconds." },
  CREWROOM_CALLS_PER_MINUTE: {
    read: count(0, 10_000_000),
    usual: "6000",
    says: "Calls of one token in a minute; 0 = no limit.",
  },
  CREWROOM_MAX_WAIT_SECONDS: { read: count(1, 300), usual: "45", says: "Longest wait_for_change, in seconds." },
  CREWROOM_MAX_FILE_BYTES: { read: count(1, 16_777_216), usual: "1048576", says: "Largest file, in bytes." },
  CREWROOM_FILE_QUOTA_MB: {
    read: count(1, 10_000_000),
    usual: "1024",
    says: "An organization's files in all, in MiB.",
  },
  CREWROOM_WAKES_PER_HOUR: {
    read: count(0, 100_000),
    usual: "60",
    says: "How often an agent's idle session is woken within an hour, unless a person acts; 0 = no limit.",
  },
  CREWROOM_PRUNE_INTERVAL_SECONDS: {
    read: count(0, 604_800).refine(
      (seconds) => seconds === 0 || seconds >= 60,
      "0, or a whole number from 60 to 604800",
    ),
    usual: "3600",
    says: "How often rooms with a retention are looked through for what is older, in seconds; 0 = never.",
  },
  CREWROOM_LEASE_MINUTES: {
    read: count(1, 10_080),
    usual: "30",
    says: "How long a claim lasts while a hook, watcher or bridge reaches its holder, in minutes; 4 hours without one.",
  },
  CREWROOM_SECRET_KEY: {
    read: optional.refine((key) => key === undefined || key.length >= 32, "at least 32 characters"),
    usual: "",
    says: "What the hub signs with, the same on every node; needed with DATABASE_URL, else kept beside the SQLite file.",
    secret: true,
  },
  CREWROOM_SIGNUP: {
    read: choiceOrRule("open", "invite", "closed"),
    usual: "",
    says: "Who may make an organization: open, invite or closed; unless set, open for local requests and invite for others.",
  },
  CREWROOM_CHAT_LOGIN: {
    read: choiceOrRule("on", "off"),
    usual: "",
    says: "Sign-in by MCP tools with auth_token: on or off; unless set, on for local requests and off for others.",
  },
  CREWROOM_CONSOLE: {
    read: z.enum(["on", "lan", "off"]),
    usual: "lan",
    says: "Who reaches /ui, /admin and /v1/admin: all, those who come through no proxy, or nobody. Sign-in and approval always work.",
  },
  CREWROOM_OAUTH_CIMD: {
    read: z.enum(["on", "off"]),
    usual: "off",
    says: "Whether clients may name themselves by the address of a document that this hub fetches; it must be able to reach out.",
  },
  CREWROOM_ANNOUNCE_UPGRADES: {
    read: z.enum(["on", "off"]),
    usual: "on",
    says: "Whether every room is told once that another version serves it: on or off.",
  },
  CREWROOM_METRICS_TOKEN: {
    read: optional.refine((token) => token === undefined || token.length >= 16, "at least 16 characters"),
    usual: "",
    says: "What asks for /metrics with `Authorization: Bearer`; left out, only requests of the hub's own machine may.",
    secret: true,
  },
  CREWROOM_MQTT_URL: {
    read: optional.refine(
      (value) => value === undefined || (URL.canParse(value) && /^(mqtts?|wss?):\/\//.test(value)),
      "an mqtt, mqtts, ws or wss address",
    ),
    usual: "",
    says: "Broker that what happens in rooms is published to; may hold a name and a password.",
    secret: true,
  },
  CREWROOM_MQTT_PREFIX: {
    read: z.string().regex(/^[^+#\s/]+(\/[^+#\s/]+)*$/, "a topic without +, # and empty parts"),
    usual: "crewroom",
    says: "What its topics begin with: <prefix>/<organization>/<room>/<kind>.",
  },
  CREWROOM_OUTBOUND_HOSTS: {
    read: list.refine((hosts) => hosts.every((host) => HOST.test(host)), "hosts by commas, such as ntfy.lan:8080"),
    usual: "",
    says: "Hosts of your own network that webhooks and notices may be sent to, by http or https; else only https to public ones.",
  },
  CREWROOM_LOG: { read: z.enum(["debug", "info", "warn", "error", "silent"]), usual: "info", says: "What is logged." },
} as const satisfies Record<string, SettingEntry<z.ZodType<unknown, string>>>;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]["read"]> };

/** A setting has a value that cannot be used; the sentence names it, the value and what is allowed. */
export class SettingError extends Error {}

/**
 * Reads every setting. This file is the only reader of the environment.
 *
 * @throws SettingError for the first wrong value.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>> = process.env): Settings {
  const pairs = Object.entries(SETTINGS).map(([name, entry]) => [name, readSetting(name, entry, environment[name])]);
  return Object.fromEntries(pairs) as Settings; // each entry's own schema made the value under its name
}

/** Where agents reach this hub, without a slash at the end: the public address if there is one, else this machine's own. */
export function reachableUrl({ CREWROOM_PUBLIC_URL, CREWROOM_HOST, PORT }: Settings, port: number = PORT): string {
  if (CREWROOM_PUBLIC_URL) return CREWROOM_PUBLIC_URL.replace(/\/+$/, "");
  // An address that means "all of this machine" is none that a client can call.
  const host = ["0.0.0.0", "::", "[::]"].includes(CREWROOM_HOST) ? "127.0.0.1" : CREWROOM_HOST;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/**
 * The addresses to tell agents: on this hub's own network, and from anywhere where there is one.
 *
 * @param own  the address that the running server has, as far as it is known.
 */
export function addressesOf(settings: Settings, port?: number, own?: string): { lan: string; public: string | null } {
  const { CREWROOM_LAN_URL: lan, CREWROOM_PUBLIC_URL: beyond = null } = settings;
  return { lan: lan ?? own ?? reachableUrl({ ...settings, CREWROOM_PUBLIC_URL: undefined }, port), public: beyond };
}

/** What commands that call a hub need. `CREWROOM_URL`, `CREWROOM_TOKEN` and `CREWROOM_ROOM`; hook and watcher read the same. */
export interface ClientSettings {
  readonly url: string;
  /** Whether the environment names it. */
  readonly isUrlGiven: boolean;
  readonly token: string | undefined;
  readonly room: string | undefined;
}

/** @throws SettingError when the address is none. */
export function readClientSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ClientSettings {
  const url = environment["CREWROOM_URL"] || `http://127.0.0.1:${SETTINGS.PORT.usual}`;
  if (!httpAddress.safeParse(url).success)
    throw new SettingError(`CREWROOM_URL is ${JSON.stringify(url)}; it must be an http or https address.`);
  return {
    url,
    isUrlGiven: Boolean(environment["CREWROOM_URL"]),
    token: environment["CREWROOM_TOKEN"] || undefined,
    room: environment["CREWROOM_ROOM"] || undefined,
  };
}

/** What programs beside an agent read; each has its own list, as they do without this file. */
export function agentEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** Each setting as it stands, for `crewroom settings` and the printed reference. Secrets are covered. */
export function listSettings(environment: Readonly<Record<string, string | undefined>> = process.env) {
  return Object.entries(SETTINGS).map(([name, entry]) => {
    const given = environment[name];
    const source: SettingSource = given === undefined || given === "" ? "default" : "environment";
    const value = source === "default" ? entry.usual : "secret" in entry ? "(set)" : given;
    return { name, value, source, usual: entry.usual, says: entry.says };
  });
}

function readSetting(
  name: string,
  entry: SettingEntry<z.ZodType<unknown, string>>,
  given: string | undefined,
): unknown {
  const value = given === undefined || given === "" ? entry.usual : given;
  const parsed = entry.read.safeParse(value);
  if (parsed.success) return parsed.data;
  const shown = entry.secret ? "(a secret)" : JSON.stringify(value);
  throw new SettingError(`${name} is ${shown}; it must be ${allowed(parsed.error)}.`);
}

function allowed(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue?.code === "invalid_value") return `one of ${issue.values.join(", ")}`;
  return issue?.message ?? "something else";
}
