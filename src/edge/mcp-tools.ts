import { COMMON_FIELDS, type Operation, type Role } from "../core/operation.ts";
import { type ToolSchema, toolSchema } from "./mcp-schema.ts";

/** An operation as `tools/list` tells it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolSchema & { type: "object" };
  readonly annotations?: { readonly readOnlyHint: true };
  readonly _meta?: { readonly "anthropic/alwaysLoad": true };
}

/** What a call of the tool runs. */
export interface Tool {
  readonly operation: Operation;
  readonly schema: ToolDefinition["inputSchema"];
}

export interface ToolTable {
  readonly find: (name: string, roles: ReadonlySet<Role>) => Tool | undefined;
  /** What these roles may call, in the order of the operation list: the same list for the same roles, byte for byte. */
  readonly listFor: (roles: ReadonlySet<Role>) => readonly ToolDefinition[];
}

/** Makes the tools once: converting a schema costs more than a whole call. */
export function makeToolTable(operations: readonly Operation[]): ToolTable {
  const offered = operations.filter((operation) => !operation.notForAgents);
  const tools = new Map(offered.map((operation) => [operation.name, toTool(operation)]));
  const guestTools = new Map(offered.filter(isForGuests).map((operation) => [operation.name, toGuestTool(operation)]));
  const lists = new Map<string, readonly ToolDefinition[]>();

  function listFor(roles: ReadonlySet<Role>): readonly ToolDefinition[] {
    const mine = roles.has("guest")
      ? [...guestTools.values()]
      : [...tools.values()].filter(({ operation: { needs } }) => needs !== "anyone" && roles.has(needs));
    return mine.map(toDefinition);
  }

  return {
    find: (name, roles) => (roles.has("guest") ? guestTools : tools).get(name),
    listFor(roles) {
      const key = [...roles].sort().join();
      const list = lists.get(key) ?? listFor(roles);
      lists.set(key, list);
      return list;
    },
  };
}

function toTool(operation: Operation): Tool {
  return { operation, schema: toolSchema(operation.name, operation.input, COMMON_FIELDS) };
}

/** The field by which a guest says who it is, call by call. */
export const AUTH_TOKEN = "auth_token";

/** What Ctalk offered and what belongs to it: the people's tools, for those who sign in within the conversation. */
function isForGuests({ name, needs }: Operation): boolean {
  return ["anyone", "person_read", "person_write", "self", "invite"].includes(needs) || name === "whoami";
}

/** The same tool for a guest: it takes the token as its first argument, but for what anyone may call. */
function toGuestTool(operation: Operation): Tool {
  const tool = toTool(operation);
  if (operation.needs === "anyone") return tool;
  const { schema } = tool;
  return { operation, schema: { ...schema, properties: { [AUTH_TOKEN]: TOKEN_FIELD, ...schema.properties } } };
}

const TOKEN_FIELD = { type: "string", description: "From login" };

function toDefinition({ operation, schema }: Tool): ToolDefinition {
  return {
    name: operation.name,
    description: operation.description,
    inputSchema: schema,
    ...((operation.kind === "query" || operation.kind === "wait") && { annotations: { readOnlyHint: true } as const }),
    ...(operation.always && { _meta: { "anthropic/alwaysLoad": true } as const }),
  };
}
