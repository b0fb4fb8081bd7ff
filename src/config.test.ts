import { expect, test } from "vitest";
import { readSettings, SettingError } from "./config.ts";

test.each([
  ["PORT", "abc"],
  ["PORT", "70000"],
  ["CREWROOM_LOG", "loud"],
  ["CREWROOM_LEASE_MINUTES", "0"],
  ["CREWROOM_PUBLIC_URL", "crew.example"],
  ["CREWROOM_ALLOWED_HOSTS", "http://crew.lan"],
  ["CREWROOM_ALLOWED_HOSTS", "crew.lan/mcp"],
  ["CREWROOM_TRUSTED_PROXIES", "proxy.lan"],
  ["CREWROOM_TRUSTED_PROXIES", "10.0.0"],
  ["CREWROOM_TRUSTED_PROXIES", "10.0.0.0/33"],
  ["CREWROOM_TRUSTED_PROXIES", "::1/129"],
  ["CREWROOM_TRUSTED_PROXIES", "10.0.0.0/"],
  ["CREWROOM_TRUSTED_PROXIES", "10.0.0.0/x"],
  ["CREWROOM_TRUSTED_PROXIES", "10.0.0.0/-1"],
  ["CREWROOM_TRUSTED_PROXIES", "10.0.0.1, ::1/8/8"],
  ["DATABASE_URL", "mysql://host/db"],
])("a start refuses %s=%s in one sentence that names it", (name, value) => {
  expect(() => readSettings({ [name]: value })).toThrow(SettingError);
  expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} is .*; it must be [^\\n]+\\.$`));
});

test("a start takes hosts with and without ports, addresses and ranges", () => {
  const settings = readSettings({
    CREWROOM_ALLOWED_HOSTS: "crew.lan:*, [::1]:8090,box",
    CREWROOM_TRUSTED_PROXIES: "10.0.0.0/8, ::1, 127.0.0.1",
  });

  expect(settings.CREWROOM_ALLOWED_HOSTS).toEqual(["crew.lan:*", "[::1]:8090", "box"]);
  expect(settings.CREWROOM_TRUSTED_PROXIES).toEqual(["10.0.0.0/8", "::1", "127.0.0.1"]);
});
