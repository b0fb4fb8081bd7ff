import { COMMON_FIELDS, type Need, type Operation, type Role } from "../core/operation.ts";
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
  readonly find: (name: string) => Tool | undefined;
  /** What these roles may call, in the order of the operation list: the same list for the same roles, byte for byte. */
  readonly listFor: (roles: ReadonlySet<Role>) => readonly ToolDefinition[];
}

/** Makes the tools once: converting a schema costs more than a whole call. */
export function makeToolTable(operations: readonly Operation[]): ToolTable {
  const offered = operations.filter((operation) => !operation.notForAgents);
  const tools = new Map(offered.map((operation) => [operation.name, toTool(operation)]));
  const definitions = [...tools.values()].map(toDefinition);
  const lists = new Map<string, readonly ToolDefinition[]>();
  return {
    find: (name) => tools.get(name),
    listFor(roles) {
      const key = [...roles].sort().join();
      const known = lists.get(key);
      if (known) return known;
      const list = definitions.filter((_, index) => offersTo(roles, offered[index]?.needs));
      lists.set(key, list);
      return list;
    },
  };
}

/** What anyone may call is for those who have no credential yet. */
function offersTo(roles: ReadonlySet<Role>, needs: Need | undefined): boolean {
  return needs !== undefined && needs !== "anyone" && roles.has(needs);
}

function toTool(operation: Operation): Tool {
  return { operation, schema: toolSchema(operation.name, operation.input, COMMON_FIELDS) };
}

function toDefinition({ operation, schema }: Tool): ToolDefinition {
  return {
    name: operation.name,
    description: operation.description,
    inputSchema: schema,
    ...((operation.kind === "query" || operation.kind === "wait") && { annotations: { readOnlyHint: true } as const }),
    ...(operation.always && { _meta: { "anthropic/alwaysLoad": true } as const }),
  };
}
