import { z } from "zod";
import { ERRORS } from "../core/errors.ts";
import type { Operation } from "../core/operation.ts";
import type { Route } from "./exchange.ts";

/** Refusals that any call may meet, whatever the operation declares. */
const COMMON_ERRORS = [
  "bad_input",
  "not_signed_in",
  "not_allowed",
  "room_not_granted",
  "too_large",
  "not_json_type",
  "too_many_calls",
  "storage_full",
] as const;

/** The description of `/api`, OpenAPI 3.1, made from the operation list. */
export function openApi(operations: readonly Operation[], version: string) {
  return {
    openapi: "3.1.0",
    info: { title: "Crewroom", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    security: [{ bearer: [] }],
    paths: Object.fromEntries(operations.map((operation) => [`/api/${operation.name}`, pathItem(operation)])),
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: { Error: ERROR_SCHEMA },
    },
  };
}

/** Serves that description to anyone. It is written out once. */
export function openApiRoute(operations: readonly Operation[], version: string): Route {
  let body: string | undefined;
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  };
  return {
    method: "GET",
    path: "/openapi.json",
    open: true,
    run: () => ({ status: 200, headers, body: (body ??= JSON.stringify(openApi(operations, version))) }),
  };
}

function pathItem(operation: Operation) {
  const { name, title, description, input, example, kind } = operation;
  const post = {
    operationId: name,
    summary: title,
    description,
    parameters: [...(kind === "command" ? [IDEMPOTENCY_KEY] : []), SESSION],
    requestBody: { required: true, content: { "application/json": { schema: schemaOf(input, "input"), example } } },
    responses: responses(operation),
  };
  return { post };
}

function responses({ output, errors }: Operation) {
  const byStatus = Map.groupBy([...new Set([...COMMON_ERRORS, ...errors])], (code) => String(ERRORS[code].status));
  const refusals = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.join(", "),
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    },
  ]);
  const ok = { description: "The answer.", content: { "application/json": { schema: schemaOf(output, "output") } } };
  return { "200": ok, ...Object.fromEntries(refusals) };
}

function schemaOf(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return described;
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description: "Makes a retry safe: same key and input, same answer, for 24 h.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

const SESSION = {
  name: "X-Crewroom-Session",
  in: "header",
  description: "Which of your sessions this is.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" },
};

const ERROR_SCHEMA = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "next", "data", "trace"],
      properties: {
        code: { type: "string", enum: Object.keys(ERRORS) },
        message: { type: "string" },
        next: { type: "string", description: "What to do about it." },
        data: { type: "object" },
        trace: { type: "string", description: "Names this request in the hub's log." },
      },
    },
  },
};
