import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "../../src/config.ts";
import { startHub } from "../../src/hub.ts";
import { makeActor } from "../../src/testkit/actor.ts";
import { seat, seatPeople, signInAs } from "../../src/testkit/cast.ts";
import { makeDatabase, type StoreKind, TESTED_STORES } from "../../src/testkit/databases.ts";
import { startTestHub } from "../../src/testkit/hub.ts";
import { openBrowser, type TestBrowser } from "./browser.ts";
import { visitConsole } from "./console-visit.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** A hub that can be stopped and started again at the same address, on the same database. */
async function openRestartable(kind: StoreKind) {
  const database = await makeDatabase(kind);
  const settings = readSettings({
    PORT: String(await freePort()),
    CREWROOM_LOG: "silent",
    CREWROOM_SECRET_KEY: "a secret of the tests, which is long enough",
    ...database.settings,
  });
  const open = () => startHub(settings, { trustDatabase: true });
  let hub = await open();
  const tokens = new Map([...(await seat(hub.store)), ...(await seatPeople(hub.store))]);
  return {
    home: hub.url.replace("127.0.0.1", "localhost"),
    session: await hub.store.write("main", (tx) => signInAs(tx, "main", "ben", "web")),
    as: (handle: string) => makeActor(hub.url, handle, tokens.get(handle) ?? ""),
    stop: () => hub.close(),
    async start() {
      hub = await open();
    },
    async [Symbol.asyncDispose]() {
      await hub.close();
      await database.remove();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo; // it listens on an address
  await new Promise((done) => server.close(done));
  return port;
}

describe.each(TESTED_STORES)("the console's line to the hub (%s)", (kind) => {
  it("says that it is lost, and after a restart shows every message once, without a reload", async () => {
    await using hub = await openRestartable(kind);
    const page = await browser.newPage();
    await page.context().addCookies([{ name: "crewroom", value: hub.session, url: hub.home }]);
    await hub.as("box1").call("post_message", { body: "before" });
    await page.goto(`${hub.home}/ui/rooms/lobby/chat`);
    await page.getByText("before").waitFor();

    await hub.stop();
    await page.getByText("Not connected.").waitFor();
    await hub.start();
    for (const body of ["one", "two", "three"]) await hub.as("box1").call("post_message", { body });
    await page.getByText("three", { exact: true }).waitFor({ timeout: 15_000 });
    await hub.as("box2").call("post_message", { body: "live again" });
    await page.getByText("live again").waitFor();

    const shown = await page.getByRole("article").locator(".text").allTextContents();
    expect(shown).toEqual(["before", "one", "two", "three", "live again"]);
    expect(await page.getByText("Not connected.").count()).toBe(0);
    await page.context().close();
  });
});

const [store = "sqlite"] = TESTED_STORES;

it("a long chat is drawn in part, opens at its end and goes back page by page without a jump", async () => {
  await using hub = await startTestHub(store);
  await hub.seatPeople();
  for (let number = 1; number <= 150; number += 1)
    await hub.as(number % 3 === 0 ? "box2" : "box1").call("post_message", { body: `line ${number}` });
  await using ben = await visitConsole(browser, hub, "ben", "/ui/rooms/lobby/chat");
  const { page } = ben;
  await page.getByText("line 150", { exact: true }).waitFor();
  expect(await page.getByRole("article").count()).toBeLessThan(80);

  const log = page.getByRole("log");
  await log.hover();
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, -1_500);
        return page.getByText("line 1", { exact: true }).count();
      },
      { timeout: 10_000 },
    )
    .toBe(1);

  const shown = await page.getByRole("article").locator(".text").allTextContents();
  expect(shown.slice(0, 5)).toEqual(["line 1", "line 2", "line 3", "line 4", "line 5"]);
  expect(ben.complaints).toEqual([]);
});
