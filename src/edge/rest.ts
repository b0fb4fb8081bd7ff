import { z } from "zod";
import { fail } from "../core/errors.ts";
import { type Answer, type Core, execute } from "../core/execute.ts";
import { LIMITS } from "../core/limits.ts";
import type { Operation } from "../core/operation.ts";
import { goneSignal, json, type Reply, type Route, type SignedAsk } from "./exchange.ts";
import { type JsonObject, readJsonBody } from "./json-body.ts";
import type { Gate } from "./middleware.ts";
import { parseQuery, readAs, refuseUnknown } from "./query.ts";

/** Every operation under `/api/<name>`: POST with its input as the body; queries also by GET with parameters. */
export function restRoutes(core: Core, operations: readonly Operation[], gate: Gate): Route[] {
  return operations.flatMap((operation) => {
    const path = `/api/${operation.name}`;
    if (operation.needs === "anyone") return [openRoute(core, operation, path, gate)];
    const post: Route = {
      method: "POST",
      path,
      run: async (ask) => replyOf(await callOperation(core, operation, ask, await readInput(ask))),
    };
    if (operation.kind !== "query") return [post];
    const types = parameterTypes(operation);
    const get: Route = {
      method: "GET",
      path,
      run: async (ask) => replyOf(await callOperation(core, operation, ask, readParameters(ask, types))),
    };
    return [post, get];
  });
}

/** What anyone may call: a credential is looked at when there is one. */
function openRoute(core: Core, operation: Operation, path: string, gate: Gate): Route {
  return {
    method: "POST",
    path,
    open: true,
    async run(ask) {
      const signed = { ...ask, caller: await gate.signInIfAny(ask) };
      return replyOf(await callOperation(core, operation, signed, await readInput(signed, LIMITS.strangersBytes)));
    },
  };
}

/** Runs an operation for a request, whose body may be what it stores; what waits ends when the client goes. */
export function callOperation(
  core: Core,
  operation: Operation,
  ask: SignedAsk,
  input: JsonObject,
  content?: Uint8Array,
): Promise<Answer> {
  const { caller, outgoing } = ask;
  if (operation.kind === "wait") return execute(core, operation, { caller, input, signal: goneSignal(outgoing) });
  return execute(core, operation, {
    caller,
    content,
    input: operation.kind === "command" ? withKey(ask, input) : input,
  });
}

/** An operation's answer on the wire; `value` when the route says it in other words. */
export function replyOf({ value, replayed, settled }: Answer, said: JsonObject = value): Reply {
  return { ...json(200, said, replayed ? { "idempotency-replayed": "true" } : undefined), settled };
}

/** The body of a request that takes no parameters. */
export function readInput({ query, incoming }: SignedAsk, most: number = LIMITS.requestBytes): Promise<JsonObject> {
  refuseUnknown(parseQuery(query), []);
  return readJsonBody(incoming, most);
}

function withKey({ headers }: SignedAsk, input: JsonObject): JsonObject {
  const key = headers["idempotency-key"];
  if (key === undefined) return input;
  const given = input["idempotency_key"];
  if (given !== undefined && given !== key)
    throw fail("bad_input", { field: "idempotency_key", problem: "is another one than the header's" });
  return { ...input, idempotency_key: key };
}

type ParameterTypes = ReadonlyMap<string, "text" | "number" | "boolean">;

/** What each field reads as in an address, from the operation's own schema. */
function parameterTypes({ input }: Operation): ParameterTypes {
  // The library gives a schema whose properties are schemas, and says `unknown` of them.
  const { properties = {} } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, object>;
  };
  return new Map(Object.entries(properties).map(([name, schema]) => [name, typeOf(schema)]));
}

function typeOf(schema: object): "text" | "number" | "boolean" {
  const told = JSON.stringify(schema);
  if (/"type":"(integer|number)"/.test(told) && !told.includes('"array"')) return "number";
  return told.includes('"type":"boolean"') ? "boolean" : "text";
}

function readParameters({ query }: SignedAsk, types: ParameterTypes): JsonObject {
  const parameters = parseQuery(query);
  return Object.fromEntries([...parameters].map(([name, text]) => [name, readAs(types.get(name) ?? "text", text)]));
}
