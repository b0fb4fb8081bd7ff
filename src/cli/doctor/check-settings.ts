import { reachableUrl, type Settings } from "../../config.ts";
import { listUnknownSettings } from "../../unknown-settings.ts";
import type { Finding } from "./finding.ts";

export function checkSettings(settings: Settings): Finding[] {
  const {
    CREWROOM_HOST: host,
    CREWROOM_PUBLIC_URL: publicUrl,
    CREWROOM_ALLOWED_HOSTS: hosts,
    CREWROOM_TRUSTED_PROXIES: proxies,
  } = settings;
  const isLocal = ["127.0.0.1", "::1", "localhost"].includes(host);
  const found: Finding[] = listUnknownSettings().map((says) => ({
    level: "warn",
    about: "settings",
    says,
    next: "correct its name, or remove it",
  }));
  if (!isLocal && !publicUrl && hosts.length === 0) {
    found.push({
      level: "warn",
      about: "settings",
      says: `CREWROOM_HOST is ${host}, but no other Host is answered for`,
      next: "set CREWROOM_PUBLIC_URL or CREWROOM_ALLOWED_HOSTS to how others reach this machine",
    });
  }
  if (publicUrl?.startsWith("http:")) {
    found.push({
      level: "warn",
      about: "settings",
      says: "CREWROOM_PUBLIC_URL is http: tokens travel unencrypted",
      next: "put a proxy with TLS before the hub, and name its https address",
    });
  }
  if (publicUrl?.startsWith("https:") && proxies.length === 0) {
    found.push({
      level: "warn",
      about: "proxy",
      says: "CREWROOM_TRUSTED_PROXIES is empty: behind a proxy all callers share its address, and its budget of failed sign-ins",
      next: "name the proxy's address there, such as 127.0.0.1, if it writes X-Forwarded-For",
    });
  }
  if (proxies.some((range) => range.endsWith("/0"))) {
    found.push({
      level: "warn",
      about: "proxy",
      says: "CREWROOM_TRUSTED_PROXIES believes everybody: a caller can write any address into X-Forwarded-For",
      next: "name the proxy's own address alone",
    });
  }
  const isFine = found.every((finding) => finding.about !== "settings");
  const fine: Finding = { level: "ok", about: "settings", says: `agents reach ${reachableUrl(settings)}` };
  return isFine ? [fine, ...found] : found;
}
