import { z } from "zod";

/** A JSON Schema as tools carry it: inlined, no unions, no references, no nullables, and nothing a caller is told by a refusal anyway. */
export type ToolSchema = {
  type?: string;
  description?: string;
  enum?: string[];
  properties?: Record<string, ToolSchema>;
  required?: string[];
  items?: ToolSchema;
  maximum?: number;
  maxLength?: number;
};

/**
 * The input schema of a tool. Every keyword in it is paid for by every agent in every session, so only those stay that a
 * caller needs to write a right call.
 *
 * @param bare  fields that keep their type and no description: the instructions say what they mean, once.
 * @throws Error naming the tool when a schema would not be portable: real clients drop such tools in silence.
 */
export function toolSchema(
  tool: string,
  input: z.ZodObject,
  bare: ReadonlySet<string>,
): ToolSchema & { type: "object" } {
  const full = z.toJSONSchema(input, { io: "input", reused: "inline", target: "draft-2020-12" });
  const light = lighten(tool, full);
  const properties: Record<string, ToolSchema> = {};
  for (const [name, { type, ...told }] of Object.entries(light.properties ?? {})) {
    properties[name] = { ...(type !== undefined && { type }), ...(!bare.has(name) && told) };
  }
  return { type: "object", properties, ...(light.required && { required: light.required }) };
}

type Json = Readonly<Record<string, unknown>>;

const UNPORTABLE = ["anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "prefixItems", "if"];
const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/;

function lighten(tool: string, schema: Json): ToolSchema {
  const found = UNPORTABLE.find((keyword) => keyword in schema);
  if (found) throw new Error(`The input of ${tool} needs ${found}: real clients lose such a schema.`);
  if (Array.isArray(schema["type"]))
    throw new Error(`The input of ${tool} has a field of two types; leave it out instead of null.`);
  const { type, description, enum: values, required, maxLength, maximum, properties, items } = schema;
  return {
    ...(typeof type === "string" && { type }),
    ...(typeof description === "string" && { description }),
    ...(Array.isArray(values) && { enum: values as string[] }), // our lists of values are of names
    ...(typeof maxLength === "number" && { maxLength }),
    ...(typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    ...(isJson(properties) && { properties: lightenEach(tool, properties) }),
    ...(Array.isArray(required) && required.length > 0 && { required: required as string[] }), // a JSON Schema has names there
    ...(isJson(items) && { items: lighten(tool, items) }),
  };
}

function lightenEach(tool: string, properties: Json): Record<string, ToolSchema> {
  const entries = Object.entries(properties).map(([name, schema]): [string, ToolSchema] => {
    if (!PROPERTY.test(name)) throw new Error(`The input of ${tool} has a field that real clients refuse: ${name}.`);
    return [name, lighten(tool, schema as Json)]; // every property of a JSON Schema is a schema
  });
  return Object.fromEntries(entries);
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The arguments with texts decoded where the schema wants a number, a truth value, a list or an object and nothing else
 * fits: some clients send those as JSON in a string. What does not decode to the wanted type stays, to be refused by name.
 */
export function decodeArguments(schema: ToolSchema, value: unknown): unknown {
  const decoded =
    typeof value === "string" && schema.type !== undefined && schema.type !== "string"
      ? decode(schema.type, value)
      : value;
  if (Array.isArray(decoded) && schema.items) {
    const { items } = schema;
    return decoded.map((item) => decodeArguments(items, item));
  }
  if (!isJson(decoded) || !schema.properties) return decoded;
  const { properties } = schema;
  return Object.fromEntries(
    Object.entries(decoded).map(([name, field]) => [name, decodeArguments(ownSchema(properties, name), field)]),
  );
}

const ANYTHING: ToolSchema = {};

function ownSchema(properties: Readonly<Record<string, ToolSchema>>, name: string): ToolSchema {
  return (Object.hasOwn(properties, name) && properties[name]) || ANYTHING;
}

function decode(wanted: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeOf(value) === wanted || (wanted === "number" && Number.isInteger(value)) ? value : text;
  } catch {
    return text;
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value)) return "integer";
  return value === null ? "null" : typeof value;
}
