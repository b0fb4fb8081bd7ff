import { LOOPBACK, parseHost } from "../addresses.ts";

/** What is granted access to: the MCP address. One resource stands for the whole hub, its REST addresses too. */
export function resourceOf(url: string): string {
  return `${url}/mcp`;
}

/**
 * The hub's address as this request calls it. It is the configured one, whatever Host says; only a hub on loopback may be
 * called by any of that machine's names, and clients compare what they typed with what they are told.
 */
export function addressAsCalled(url: string, host: string | undefined): string {
  const [own, called] = [parseHost(new URL(url).host), parseHost(host ?? "")];
  if (!own || !called || !LOOPBACK.has(own.name) || !LOOPBACK.has(called.name)) return url;
  return withName(url, called.name);
}

/** Where browsers are sent: on loopback by the name that the start prints, which is where people have signed in. */
export function addressForBrowsers(url: string): string {
  return addressAsCalled(url, "localhost");
}

function withName(url: string, name: string): string {
  const address = new URL(url);
  address.hostname = name;
  return address.href.replace(/\/+$/, "");
}

/** Whether an indicator means this hub: its MCP address, or the hub as a whole, with or without a slash at the end. */
export function isOwnResource(url: string, indicator: string): boolean {
  if (!URL.canParse(indicator)) return false;
  const { host, href, hash } = new URL(indicator);
  const own = addressAsCalled(url, host);
  const named = href.replace(/\/+$/, "");
  return hash === "" && !indicator.endsWith("#") && (named === plain(own) || named === plain(resourceOf(own)));
}

/** As the URL parser writes it, without the slash at the end. */
function plain(url: string): string {
  return new URL(url).href.replace(/\/+$/, "");
}
