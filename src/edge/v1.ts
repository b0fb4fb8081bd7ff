import { fail } from "../core/errors.ts";
import type { Core } from "../core/execute.ts";
import type { Operation } from "../core/operation.ts";
import type { Route, SignedAsk } from "./exchange.ts";
import type { JsonObject } from "./json-body.ts";
import { parseQuery, readAs, refuseUnknown } from "./query.ts";
import { callOperation, readInput, replyOf } from "./rest.ts";
import { type AgentScript, scriptRoutes, versionHeaders } from "./scripts.ts";
import { adminAliases } from "./v1-admin.ts";
import type { Alias } from "./v1-alias.ts";

const PAGE = { room: "text", limit: "number" } as const;

const ALIASES: readonly Alias[] = [
  {
    method: "GET",
    path: "/v1/whats_new",
    operation: "whats_new",
    takes: PAGE,
    ignores: ["peek"],
    fixed: { peek: true },
    usual: { limit: 100 },
    withAgent: true,
    withVersions: true,
  },
  {
    method: "POST",
    path: "/v1/whats_new",
    operation: "whats_new",
    bodyMayBeMissing: true,
    usual: { limit: 100 },
    withAgent: true,
    withVersions: true,
  },
  { method: "POST", path: "/v1/catch_up", operation: "catch_up", bodyMayBeMissing: true, withVersions: true },
  {
    method: "GET",
    path: "/v1/tasks",
    operation: "list_tasks",
    takes: { ...PAGE, before_id: "number" },
    fixed: { status: "open" },
    usual: { limit: 100 },
    withAgent: true,
  },
  {
    method: "GET",
    path: "/v1/messages",
    operation: "read_messages",
    takes: { ...PAGE, since_id: "number", before_id: "number" },
    usual: { limit: 100 },
    withAgent: true,
  },
  {
    method: "GET",
    path: "/v1/rooms",
    operation: "list_rooms",
    takes: { after: "text", limit: "number" },
    withAgent: true,
  },
  {
    method: "GET",
    path: "/v1/files",
    operation: "list_files",
    takes: { ...PAGE, before_id: "number" },
    withAgent: true,
  },
  {
    method: "DELETE",
    path: "/v1/files/{file_id}",
    operation: "delete_file",
    takes: { room: "text", file_id: "number" },
  },
  { method: "POST", path: "/v1/rooms/{room}/info", operation: "set_room_info" },
  { method: "POST", path: "/v1/rooms/{room}/retention", operation: "set_retention", bodyMayBeMissing: true },
  { method: "DELETE", path: "/v1/rooms/{room}", operation: "delete_room", takes: {} },
];

/** Addresses of an older ChatRoomMCP, and what serves instead. */
const RETIRED = { "/messages": "/v1/messages", "/roster/*": "/api/list_agents" } as const;

export interface V1Parts {
  readonly core: Core;
  readonly operations: readonly Operation[];
  readonly scripts: readonly AgentScript[];
  /** Who reaches the addresses of administration. */
  readonly settings: { readonly CREWROOM_CONSOLE: "on" | "lan" | "off" };
}

/** ChatRoomMCP's addresses: thin names for operations, so that its clients go on working. */
export function v1Routes({ core, operations, scripts, settings }: V1Parts): Route[] {
  const { CREWROOM_CONSOLE: console } = settings;
  const versions = versionHeaders(scripts, core.settings);
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const routesOf = (aliases: readonly Alias[]) =>
    aliases.flatMap((alias) => {
      const operation = byName.get(alias.operation);
      return operation ? [aliasRoute(core, alias, operation, alias.withVersions && versions)] : [];
    });
  const admin = routesOf(console === "off" ? [] : adminAliases(scripts, console));
  const retired = Object.entries(RETIRED).map(([path, instead]): Route => ({
    method: "GET",
    path,
    open: true,
    run() {
      throw fail("gone", { instead });
    },
  }));
  return [
    ...routesOf(ALIASES),
    ...(console === "lan" ? admin.map((route): Route => ({ ...route, lanOnly: true })) : admin),
    ...scriptRoutes(scripts, core.settings),
    ...retired,
  ];
}

function aliasRoute(
  core: Core,
  alias: Alias,
  operation: Operation,
  versions: Readonly<Record<string, string>> | undefined,
): Route {
  const { method, path, withAgent, shape } = alias;
  return {
    method,
    path,
    async run(ask) {
      const input = await inputOf(alias, ask);
      const answer = await callOperation(core, operation, ask, input);
      const value = shape ? shape(answer.value, input, core.settings) : answer.value;
      const reply = replyOf(answer, withAgent ? { ...value, agent: ask.caller.handle } : value);
      return versions ? { ...reply, headers: { ...reply.headers, ...versions } } : reply;
    },
  };
}

async function inputOf(
  { takes, ignores = [], bodyMayBeMissing, usual, fixed }: Alias,
  ask: SignedAsk,
): Promise<JsonObject> {
  const mayRead = !bodyMayBeMissing || hasBody(ask);
  const given = takes ? readParameters(takes, ignores, ask) : mayRead ? await readInput(ask) : {};
  for (const name in ask.params)
    if (Object.hasOwn(given, name)) throw fail("bad_input", { field: name, problem: "is given by the address" });
  const named = Object.entries(ask.params).map(([name, text]) => [name, readAs(takes?.[name] ?? "text", text)]);
  return { ...usual, ...given, ...Object.fromEntries(named), ...fixed };
}

function hasBody({ headers }: SignedAsk): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function readParameters(
  takes: Readonly<Record<string, "text" | "number">>,
  ignores: readonly string[],
  { query }: SignedAsk,
): JsonObject {
  const parameters = parseQuery(query);
  refuseUnknown(parameters, [...Object.keys(takes), ...ignores]);
  // An empty room means the token's own, as it did.
  const given = [...parameters].filter(([name, text]) => name in takes && !(name === "room" && text === ""));
  return Object.fromEntries(given.map(([name, text]) => [name, readAs(takes[name] ?? "text", text)]));
}
