import axe, { type AxeResults } from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";
import { TESTED_STORES } from "../../src/testkit/databases.ts";
import { startTestHub } from "../../src/testkit/hub.ts";
import { registerClient } from "../../src/testkit/oauth.ts";
import { askAndSend } from "../../src/testkit/questions.ts";
import { openBrowser, type TestBrowser } from "./browser.ts";
import { furnish } from "./furnished.ts";

const SCHEMES: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  narrow: { viewport: { width: 390, height: 844 } },
};
/** @source https://github.com/dequelabs/axe-core: the tags of WCAG 2.2 A and AA, and what is good practice besides. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// What a page looks like does not depend on the database.
const [store = "sqlite"] = TESTED_STORES;

/** Finds what somebody could not use, on one page after the other. */
async function check(browser: TestBrowser, home: string, visits: readonly Visit[]): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (const [scheme, options] of Object.entries(SCHEMES)) {
    // The checker is a script, which our pages would not run.
    const page = await browser.newPage({ ...options, bypassCSP: true });
    for (const { path, as, when } of visits) {
      await page.context().clearCookies();
      if (as !== undefined) await page.context().addCookies([{ name: "crewroom", value: as, url: home }]);
      await page.goto(new URL(path, home).href);
      await when?.(page);
      await page.evaluate(axe.source);
      const run = `axe.run({ runOnly: ${JSON.stringify(RULES)} })`;
      const { violations } = await page.evaluate<AxeResults>(run);
      for (const { id, nodes } of violations) faults.push([scheme, path, id, nodes.map(({ html }) => html)]);
      if (await page.locator("html").evaluate((html) => html.scrollWidth > html.clientWidth))
        faults.push([scheme, path, "scrolls sideways"]);
    }
    await page.context().close();
  }
  return faults;
}

interface Visit {
  readonly path: string;
  /** The session of who looks. */
  readonly as?: string;
  /** What is done before the look: until it is there, or something is open. */
  readonly when?: (page: Page) => Promise<unknown>;
}

/** Until a page of the console has all its answers. */
async function settled(page: Page) {
  await page.locator("h1").first().waitFor();
  await expect.poll(() => page.locator(".loading").count(), { timeout: 10_000 }).toBe(0);
}

const press = (name: string | RegExp) => async (page: Page) => {
  await settled(page);
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("dialog").waitFor();
};

it("the console can be used by everybody too: every page, its dialogs, what is empty and what is not there", async () => {
  await using hub = await startTestHub(store);
  await furnish(hub);
  const home = hub.url.replace("127.0.0.1", "localhost");
  const [ben, dora] = [(await hub.browser("ben")).token, (await hub.browser("dora")).token];
  await using browser = await openBrowser();

  const rooms = ["chat", "board", "tasks/1", "files", "activity", "members", "about", "nowhere"].map(
    (part) => `lobby/${part}`,
  );
  const parts = ["rooms", "members", "tokens", "invitations", "hooks", "policy", "audit", "state"];
  const faults = await check(browser, home, [
    { path: "/" },
    { path: "/ui/wall" },
    ...[
      "/ui",
      "/ui/ask",
      "/ui/you",
      "/ui/search?q=staging",
      "/ui/nowhere",
      "/admin",
      "/ui/rooms/ops/chat",
      "/ui/rooms/nowhere/chat",
    ].map((path) => ({
      path,
      as: ben,
      when: settled,
    })),
    ...rooms.map((path) => ({ path: `/ui/rooms/${path}`, as: ben, when: settled })),
    ...parts.map((part) => ({ path: `/admin/${part}`, as: dora, when: settled })),
    { path: "/ui", as: ben, when: press("Decline") },
    { path: "/ui/rooms/lobby/board", as: ben, when: press("Add a task") },
    { path: "/admin/tokens", as: dora, when: press("New token") },
  ]);

  expect(faults).toEqual([]);
}, 180_000);

it("the pages can be used by everybody: WCAG 2.2 AA, light and dark, on a phone without scrolling sideways", async () => {
  await using hub = await startTestHub(store);
  await hub.seatPeople();
  const { approval_id } = await askAndSend(hub, `a\u202eb https://bаnk.example ${"long".repeat(100)}`);
  await hub.as("cleo").call("ask_person", { to_user_id: "ben", question: "Who looks after staging?" });
  const { link } = await (await hub.browser("dora")).call("invite_person", { role: "admin" });
  const client = await registerClient(hub.url, "https://app.example/callback");
  const home = hub.url.replace("127.0.0.1", "localhost");
  const { token } = await hub.browser("ben");
  await using browser = await openBrowser();

  const signIn = `/oauth/authorize?${client.request({ scope: "hub:write" }).toString()}`;
  const open = ["/login", String(link), "/nowhere", signIn, "/oauth/login/over"];
  const own = [
    "/approve",
    `/approve/${approval_id}`,
    "/sessions",
    "/password",
    "/passkeys",
    "/notices",
    "/connect",
    signIn,
  ];
  const faults = await check(browser, home, [
    ...open.map((path) => ({ path })),
    ...own.map((path) => ({ path, as: token })),
  ]);

  expect(faults).toEqual([]);
}, 120_000);
