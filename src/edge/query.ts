import { fail } from "../core/errors.ts";

/**
 * The parameters behind the `?`.
 *
 * @throws HubError `bad_input` for a name that comes twice and for what cannot be decoded.
 */
export function parseQuery(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  if (query === "") return parameters;
  for (const pair of query.split("&")) {
    const equals = pair.indexOf("=");
    const name = decodePlus(equals < 0 ? pair : pair.slice(0, equals));
    if (parameters.has(name)) throw fail("bad_input", { field: name.slice(0, 64), problem: "comes twice" });
    parameters.set(name, equals < 0 ? "" : decodePlus(pair.slice(equals + 1)));
  }
  return parameters;
}

/** @throws HubError `bad_input` when there are parameters besides those named. */
export function refuseUnknown(parameters: ReadonlyMap<string, string>, known: readonly string[]) {
  for (const name of parameters.keys()) {
    if (known.includes(name)) continue;
    const list = known.length === 0 ? "none are taken here" : `known are ${known.join(", ")}`;
    throw fail("bad_input", {
      field: "",
      problem: `has the unknown parameter ${JSON.stringify(name.slice(0, 64))}; ${list}`,
    });
  }
}

function decodePlus(text: string): string {
  return decode(text.replaceAll("+", " "));
}

/**
 * A part of a path, decoded.
 *
 * @throws HubError `bad_input`
 */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fail("bad_input", { field: "", problem: "has an address that cannot be decoded" });
  }
}

const NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/;

/** A parameter as the schema's type wants it. What does not read as that type stays text, for the schema to refuse. */
export function readAs(type: "text" | "number" | "boolean", text: string): string | number | boolean {
  if (type === "number" && NUMBER.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
