import { expect, test } from "vitest";
import { readSettings, SettingError } from "./config.ts";
import { listUnknownSettings } from "./unknown-settings.ts";

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

test.each([
  ["CREWROOM_PORT", "PORT"],
  ["CREWROOM_DATABASE_URL", "DATABASE_URL"],
  ["CREWROOM_LEASE_MINUTE", "CREWROOM_LEASE_MINUTES"],
  ["CREWROOM_ALOWED_HOST", "CREWROOM_ALLOWED_HOSTS"],
  ["CREWROOM_PUBLICURL", "CREWROOM_PUBLIC_URL"],
  ["CREWROOM_LOGG", "CREWROOM_LOG"],
])("%s, which is no setting, is told with the nearest one", (name, nearest) => {
  expect(listUnknownSettings({ [name]: "1" })).toEqual([
    `${name} is set, but there is no such setting; ${nearest} is the nearest`,
  ]);
});

test("a name that is near nothing is told alone; settings, and what clients, hook and watcher read, are no slips", () => {
  const environment = {
    CREWROOM_COLOUR: "green",
    CREWROOM_LOG: "info",
    CREWROOM_URL: "http://127.0.0.1:8090",
    CREWROOM_TOKEN: "x",
    CREWROOM_ROOM: "lobby",
    CREWROOM_HOOK_EVENTS: "mentions",
    CREWROOM_WATCH_SECONDS: "5",
    PATH: "/bin",
  };

  expect(listUnknownSettings(environment)).toEqual(["CREWROOM_COLOUR is set, but there is no such setting"]);
});
