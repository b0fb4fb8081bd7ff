import type { IncomingHttpHeaders } from "node:http";
import { isPublicSide, LOOPBACK, parseHost } from "./addresses.ts";

/** The settings that say how open a hub is; left out, each goes by where a request comes from. */
export interface LocalitySettings {
  readonly CREWROOM_HOST: string;
  readonly CREWROOM_PUBLIC_URL: string | undefined;
  readonly CREWROOM_TRUSTED_PROXIES: readonly string[];
  readonly CREWROOM_SIGNUP: "open" | "invite" | "closed" | undefined;
  readonly CREWROOM_CHAT_LOGIN: "on" | "off" | undefined;
}

/** What a request may do because of where it comes from. */
export interface Locality {
  /** Whether it comes from this very machine, through nothing that carries others' requests too. */
  isLocal(headers: IncomingHttpHeaders): boolean;
  /** Whether whoever sent it may make an organization. */
  mayRegister(headers: IncomingHttpHeaders): boolean;
  /** Whether sign-in by tools (`auth_token`) is there for it. */
  hasChatLogin(headers: IncomingHttpHeaders): boolean;
}

/** A hub that only listens on loopback and stands behind nothing is its user's own; every other one has to be opened. */
export function openLocality(settings: LocalitySettings): Locality {
  const { CREWROOM_PUBLIC_URL: publicUrl, CREWROOM_SIGNUP: signup, CREWROOM_CHAT_LOGIN: chatLogin } = settings;
  const standsAlone =
    LOOPBACK.has(parseHost(settings.CREWROOM_HOST)?.name ?? settings.CREWROOM_HOST) &&
    publicUrl === undefined &&
    settings.CREWROOM_TRUSTED_PROXIES.length === 0;

  const isLocal = (headers: IncomingHttpHeaders) =>
    standsAlone && LOOPBACK.has(parseHost(headers.host ?? "")?.name ?? "") && !isPublicSide(headers, publicUrl);
  return {
    isLocal,
    mayRegister: (headers) => (signup === undefined ? isLocal(headers) : signup === "open"),
    hasChatLogin: (headers) => (chatLogin === undefined ? isLocal(headers) : chatLogin === "on"),
  };
}
