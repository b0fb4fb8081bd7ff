import type { Route } from "./exchange.ts";
import { decode } from "./query.ts";

/** What is at an address. */
export interface Place {
  /** As its routes name it, so that there are only so many: nothing of what was asked for stands in it. */
  readonly path: string;
  /** Undefined when the address is served, but not for this method. */
  readonly route: Route | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The methods it is served for. */
  readonly allowed: string;
  /** Whether somebody without a credential may know of it. */
  readonly open: boolean;
  readonly takesGuests: boolean;
  readonly lanOnly: boolean;
  /** Whether people open it in a browser. */
  readonly page: boolean;
}

export type Router = (method: string, path: string) => Place | undefined;

interface Address extends Omit<Place, "route" | "params"> {
  readonly routes: ReadonlyMap<string, Route>;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

/** Finds routes by address: whole ones in one step, then those with `{named}` parts or a `*` end in their order. HEAD is served by GET. */
export function makeRouter(routes: readonly Route[]): Router {
  const byPath = Map.groupBy(routes, (route) => route.path);
  const whole = new Map<string, Address>();
  const patterns: { pattern: RegExp; address: Address }[] = [];
  for (const [path, here] of byPath) {
    const address = addressOf(path, here);
    if (/[{*]/.test(path)) patterns.push({ pattern: patternOf(path), address });
    else whole.set(path, address);
  }

  return (method, path) => {
    const address = whole.get(path);
    if (address) return placeIn(address, method, NO_PARAMS);
    for (const { pattern, address: patterned } of patterns) {
      const match = pattern.exec(path);
      if (!match) continue;
      const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decode(text)]);
      return placeIn(patterned, method, Object.fromEntries(params));
    }
    return undefined;
  };
}

function addressOf(path: string, routes: readonly Route[]): Address {
  const byMethod = new Map<string, Route>(routes.map((route) => [route.method, route]));
  const methods = [...byMethod.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return {
    path,
    routes: byMethod,
    allowed: methods.join(", "),
    open: routes.every((route) => route.open),
    takesGuests: routes.every((route) => !route.open && route.takesGuests),
    lanOnly: routes.some((route) => route.lanOnly),
    page: routes.some((route) => route.page),
  };
}

function placeIn({ routes, ...known }: Address, method: string, params: Readonly<Record<string, string>>): Place {
  return { ...known, route: routes.get(method === "HEAD" ? "GET" : method), params };
}

/** What is not named in our addresses is letters, digits, `_`, `-` and `/`, which mean themselves. */
function patternOf(path: string): RegExp {
  const parts = path.split(/(\{\w+\}|\*)/).map((part) => {
    if (part === "*") return ".*";
    return part.startsWith("{") ? `(?<${part.slice(1, -1)}>[^/]+)` : part;
  });
  return new RegExp(`^${parts.join("")}$`);
}
