import { z } from "zod";
import type { Operation } from "../core/operation.ts";

/** One field of an operation as an option of the command. */
export interface Field {
  readonly name: string;
  /** What commander calls its value. */
  readonly option: string;
  readonly flags: string;
  readonly says: string;
  readonly kinds: ReadonlySet<string>;
  readonly itemKinds: ReadonlySet<string>;
  /** Whether it is a secret: arguments are seen by the whole machine, so it must not be one. */
  readonly secret: boolean;
}

interface JsonSchema {
  readonly type?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
}

/** An operation's fields, from its schema. */
export function fieldsOf({ input }: Operation): Field[] {
  // The library's own type for a JSON schema is wider than the part that is read here.
  const { properties = {}, required = [] } = z.toJSONSchema(input, {
    io: "input",
    unrepresentable: "any",
  }) as JsonSchema;
  return Object.entries(properties).map(([name, schema]) => {
    const kinds = kindsOf(schema);
    const itemKinds = new Set(alternatives(schema).flatMap((one) => [...kindsOf(one.items ?? {})]));
    const flag = `--${name.replaceAll("_", "-")}`;
    const secret = /(^|_)password$/.test(name);
    const says = [
      schema.description,
      schema.enum?.join(", "),
      required.includes(name) && "(required)",
      secret && "(a secret: in JSON on standard input alone)",
    ]
      .filter(Boolean)
      .join(" ");
    return { name, option: optionName(flag), flags: `${flag} ${placeholder(kinds)}`, says, kinds, itemKinds, secret };
  });
}

/** The option's flags with the field's own name: `--task_id <value>`. */
export function asNamed({ name, flags }: Field): string {
  return flags.replace(/^--\S+/, `--${name}`);
}

/** What was typed, as the schema wants it. What does not fit goes as it is: the hub says what is wrong, and where. */
export function readField({ kinds, itemKinds }: Field, given: unknown): unknown {
  if (Array.isArray(given))
    return given.length === 1 && given[0] === "" ? [] : given.map((item) => readValue(itemKinds, String(item)));
  if (given === true) return true;
  return readValue(kinds, String(given));
}

function readValue(kinds: ReadonlySet<string>, text: string): unknown {
  if (kinds.has("null") && text === "null" && !kinds.has("string")) return null;
  if ((kinds.has("integer") || kinds.has("number")) && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (kinds.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (kinds.has("object") && text.startsWith("{")) return parsedOr(text);
  return text;
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function kindsOf(schema: JsonSchema): Set<string> {
  return new Set(alternatives(schema).flatMap((one) => one.type ?? []));
}

function alternatives(schema: JsonSchema): JsonSchema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(alternatives)];
}

function placeholder(kinds: ReadonlySet<string>): string {
  if (kinds.has("array")) return "<values...>";
  return kinds.has("boolean") ? "[true|false]" : "<value>";
}

/** As commander names what `--also-rooms` sets. */
function optionName(flag: string): string {
  return flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
