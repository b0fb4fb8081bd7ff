import { expect, test } from "vitest";
import { transportOf } from "./transport.ts";

const PLAIN = { CREWROOM_PUBLIC_URL: undefined, CREWROOM_CONSOLE: "lan" } as const;
const PUBLIC = { CREWROOM_PUBLIC_URL: "https://hub.example", CREWROOM_CONSOLE: "lan" } as const;

test.each([
  ["a form on this machine", { host: "localhost:8090", origin: "http://localhost:8090" }, PLAIN, "loopback"],
  ["a page on this machine", { host: "127.0.0.1:8090" }, PLAIN, "loopback"],
  ["a page by IPv6 on this machine", { host: "[::1]:8090" }, PLAIN, "loopback"],
  ["a form in the local network", { host: "hub.lan:8090", origin: "http://hub.lan:8090" }, PLAIN, "lan"],
  ["the same where the operator wants none", { host: "hub.lan" }, { ...PLAIN, CREWROOM_CONSOLE: "off" }, "open"],
  ["the same where all may come", { host: "hub.lan" }, { ...PLAIN, CREWROOM_CONSOLE: "on" }, "open"],
  ["a page through a proxy, not encrypted", { host: "hub.lan", "x-forwarded-for": "192.0.2.1" }, PLAIN, "open"],
  ["a page through a proxy, encrypted", { host: "hub.lan", "x-forwarded-proto": "https" }, PLAIN, "https"],
  ["a page at the public address", { host: "hub.example" }, PUBLIC, "https"],
  ["a form at the public address", { host: "hub.example", origin: "https://hub.example" }, PUBLIC, "https"],
  ["a form that says it was not encrypted", { host: "hub.example", origin: "http://hub.example" }, PUBLIC, "open"],
  ["a form on the machine of a public hub", { host: "localhost", origin: "http://localhost" }, PUBLIC, "loopback"],
  ["a form beside the public address", { host: "10.0.0.5:8090", origin: "http://10.0.0.5:8090" }, PUBLIC, "lan"],
] as const)("%s", (_, headers, settings, transport) => {
  expect(transportOf(headers, settings)).toBe(transport);
});
