import { describe, expect, it } from "vitest";
import { readSettings } from "../config.ts";
import { addressRules, hostRules, isPublicSide, originRules, parseHost, plainAddress } from "./addresses.ts";

function hostOf(text: string) {
  const host = parseHost(text);
  if (!host) throw new Error(`${text} is no host.`);
  return host;
}

describe("parseHost", () => {
  it.each([
    ["localhost", "localhost", ""],
    ["LocalHost:8090", "localhost", "8090"],
    ["hub.example.", "hub.example", ""],
    ["hub.example.:443", "hub.example", "443"],
    ["127.0.0.1:1", "127.0.0.1", "1"],
    ["[::1]:8090", "[::1]", "8090"],
    ["[FE80::1]", "[fe80::1]", ""],
  ])("takes %s apart", (text, name, port) => {
    expect(parseHost(text)).toEqual({ name, port });
  });

  it.each([
    "",
    " ",
    "a b",
    "a,b",
    "a/b",
    "user@a",
    "a:",
    "a:b",
    "a:123456",
    "[::1",
    "[x]",
    "::1",
    "a\t",
    "a..",
    ".a",
    "é.example",
  ])("knows that %j is no host", (text) => {
    expect(parseHost(text)).toBeUndefined();
  });
});

describe("hostRules", () => {
  const allowed = hostRules(["hub.lan", "box.lan:8090", "any.lan:*", "[fd00::5]:*"], "https://hub.example/crew");

  it.each([
    "localhost",
    "localhost:1",
    "127.0.0.1:8090",
    "[::1]:8090",
    "localhost.:80",
    "hub.example",
    "hub.example:443",
    "HUB.example.",
    "hub.lan",
    "box.lan:8090",
    "any.lan",
    "any.lan:5",
    "[fd00::5]:9",
  ])("answers for %s", (host) => {
    expect(allowed(hostOf(host))).toBe(true);
  });

  it.each([
    "evil.example",
    "hub.lan:8090",
    "box.lan",
    "box.lan:80",
    "localhost.evil.example",
    "xhub.lan",
    "any.lan.evil",
    "127.0.0.2",
    "[::2]",
    "0.0.0.0",
  ])("does not answer for %s", (host) => {
    expect(allowed(hostOf(host))).toBe(false);
  });
});

describe("originRules", () => {
  const allowed = originRules(["https://app.example", "not an origin"], "https://hub.example:8443/x");

  it.each([
    ["http://localhost:8090", "localhost:8090"],
    ["http://localhost:8090", "127.0.0.1:8090"],
    ["http://[::1]:8090", "localhost:8090"],
    ["https://app.example", "localhost:8090"],
    ["https://hub.example:8443", "localhost:8090"],
    ["http://hub.lan:8090", "hub.lan:8090"],
  ])("lets %s call %s", (origin, host) => {
    expect(allowed(origin, hostOf(host))).toBe(true);
  });

  it.each([
    ["null", "localhost:8090"],
    ["", "localhost:8090"],
    ["http://localhost:3000", "localhost:8090"],
    ["http://localhost", "localhost:8090"],
    ["http://evil.example", "localhost:8090"],
    ["http://localhost.evil.example:8090", "localhost:8090"],
    ["https://app.example.evil", "localhost:8090"],
    ["http://app.example", "localhost:8090"],
    ["file://localhost:8090", "localhost:8090"],
    ["http://user@localhost:8090", "localhost:8090"],
  ])("keeps %s from calling %s", (origin, host) => {
    expect(allowed(origin, hostOf(host))).toBe(false);
  });
});

describe("addressRules", () => {
  const clientOf = addressRules(["10.0.0.0/8", "192.0.2.7", "fd00::/8"]);

  it.each([
    ["an untrusted peer's word is ignored", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["no header", "10.0.0.1", undefined, "10.0.0.1"],
    ["one hop", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["the right-most untrusted hop", "10.0.0.1", "1.1.1.1, 198.51.100.1, 10.2.3.4", "198.51.100.1"],
    ["what the client put in front", "10.0.0.1", `${"6.6.6.6, ".repeat(100)}198.51.100.1`, "198.51.100.1"],
    ["only proxies", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["garbage is not believed", "10.0.0.1", "198.51.100.1, <script>", "10.0.0.1"],
    ["garbage left of a hop", "10.0.0.1", "garbage, 198.51.100.1", "198.51.100.1"],
    ["an empty header", "10.0.0.1", "", "10.0.0.1"],
    ["a v4 proxy in its v6 form", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["a v4 hop in its v6 form", "192.0.2.7", "::ffff:c633:6401", "198.51.100.1"],
    ["a v6 proxy, a v6 hop with port", "fd12::1", "[2001:db8::1]:443", "2001:db8::1"],
    ["a v4 hop with port", "192.0.2.7", "198.51.100.1:55555", "198.51.100.1"],
    ["an address beside a trusted one", "192.0.2.8", "198.51.100.1", "192.0.2.8"],
  ])("finds the client: %s", (_, peer, header, client) => {
    expect(clientOf(peer, header)).toBe(client);
  });

  it.each([
    ["0.0.0.0/0", "10.0.0.1"],
    ["10.0.0.1/32", "10.0.0.1"],
    ["10.0.0.1/08", "10.9.9.9"],
    ["::/0", "2001:db8::9"],
    ["2001:db8::/128", "2001:db8::"],
    ["::ffff:10.0.0.0/104", "10.1.2.3"],
    ["fe80::1%eth0", "fe80::1"],
  ])("believes the proxies that a start takes as %s", (entry, proxy) => {
    const { CREWROOM_TRUSTED_PROXIES: proxies } = readSettings({ CREWROOM_TRUSTED_PROXIES: entry });

    expect(addressRules(proxies)(proxy, "198.51.100.1")).toBe("198.51.100.1");
    expect(addressRules(proxies)("unknown", "198.51.100.1")).toBe("unknown");
  });
});

describe("plainAddress", () => {
  it("writes one address in one way", () => {
    expect(["2001:DB8:0:0::1", "2001:db8::1", "[2001:db8::1]:80", "2001:db8::1%eth0"].map(plainAddress)).toEqual(
      Array(4).fill("2001:db8::1"),
    );
    expect(["127.0.0.1", "::ffff:127.0.0.1", "::ffff:7f00:1", "127.0.0.1:99"].map(plainAddress)).toEqual(
      Array(4).fill("127.0.0.1"),
    );
    expect(["", "unknown", "127.1", "0x7f.1", "_hidden"].map(plainAddress)).toEqual(Array(5).fill(undefined));
  });
});

describe("isPublicSide", () => {
  it.each([
    [{ host: "localhost" }, false],
    [{ host: "localhost", "x-forwarded-for": "1.1.1.1" }, true],
    [{ host: "localhost", "x-forwarded-proto": "https" }, true],
    [{ host: "localhost", "x-real-ip": "1.1.1.1" }, true],
    [{ host: "localhost", via: "1.1 proxy" }, true],
    [{ host: "localhost", "true-client-ip": "1.1.1.1" }, true],
    [{ host: "localhost", "x-client-ip": "1.1.1.1" }, true],
    [{ host: "localhost", "x-original-host": "hub.example" }, true],
    [{ host: "localhost", "x-envoy-external-address": "1.1.1.1" }, true],
    [{ host: "localhost", "x-cluster-client-ip": "1.1.1.1" }, true],
    [{ host: "localhost", "fly-client-ip": "1.1.1.1" }, true],
    [{ host: "localhost", "fastly-client-ip": "1.1.1.1" }, true],
    [{ host: "localhost", "tailscale-user-login": "ann@example.com" }, true],
    [{ host: "localhost", forwarded: "for=1.1.1.1" }, true],
    [{ host: "localhost", "cf-ray": "x" }, true],
    [{ host: "hub.example" }, true],
    [{ host: "hub.example.:443" }, true],
    [{ host: "other.example" }, false],
  ])("knows of %o", (headers, expected) => {
    expect(isPublicSide(headers, "https://hub.example")).toBe(expected);
  });

  it("knows an IPv6 address as public host", () => {
    expect(isPublicSide({ host: "[2001:db8::1]:80" }, "http://[2001:db8::1]")).toBe(true);
  });
});
