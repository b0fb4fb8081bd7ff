import { LOOPBACK, parseHost } from "../addresses.ts";
import type { Ask, Route } from "../exchange.ts";

/**
 * On this machine pages have one name, so that a person signs in once: `localhost`, the only one that browsers allow passkeys
 * for. Who opens a page by a number is sent there.
 */
export function atLocalhost(route: Route): Route {
  if (route.method !== "GET" || !route.open) return route;
  const run = (ask: Ask) => {
    const home = homeOf(ask);
    if (home === undefined) return route.run(ask);
    return { status: 307, headers: { location: home, "cache-control": "no-store" }, body: "" };
  };
  return { ...route, run };
}

function homeOf({ headers, path, query }: Ask): string | undefined {
  const host = parseHost(headers.host ?? "");
  if (!host || host.name === "localhost" || !LOOPBACK.has(host.name)) return undefined;
  return `http://localhost${host.port && `:${host.port}`}${path}${query && `?${query}`}`;
}
