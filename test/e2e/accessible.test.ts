import axe, { type AxeResults } from "axe-core";
import type { BrowserContextOptions } from "playwright-core";
import { expect, it } from "vitest";
import { TESTED_STORES } from "../../src/testkit/databases.ts";
import { startTestHub } from "../../src/testkit/hub.ts";
import { registerClient } from "../../src/testkit/oauth.ts";
import { askAndSend } from "../../src/testkit/questions.ts";
import { openBrowser } from "./browser.ts";

const SCHEMES: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  narrow: { viewport: { width: 390, height: 844 } },
};
/** @source https://github.com/dequelabs/axe-core: the tags of WCAG 2.2 A and AA, and what is good practice besides. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// What a page looks like does not depend on the database.
const [store = "sqlite"] = TESTED_STORES;

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

  const faults: unknown[] = [];
  for (const [scheme, options] of Object.entries(SCHEMES)) {
    // The checker is a script, which our pages would not run.
    const page = await browser.newPage({ ...options, bypassCSP: true });
    const look = async (path: string) => {
      await page.goto(new URL(path, home).href);
      await page.evaluate(axe.source);
      const run = `axe.run({ runOnly: ${JSON.stringify(RULES)} })`;
      const { violations } = await page.evaluate<AxeResults>(run);
      for (const { id, nodes } of violations) faults.push([scheme, path, id, nodes.map(({ html }) => html)]);
      if (await page.locator("html").evaluate((html) => html.scrollWidth > html.clientWidth))
        faults.push([scheme, path, "scrolls sideways"]);
    };

    const signIn = `/oauth/authorize?${client.request({ scope: "hub:write" }).toString()}`;
    for (const path of ["/login", String(link), "/nowhere", signIn, "/oauth/login/over"]) await look(path);
    await page.context().addCookies([{ name: "crewroom", value: token, url: home }]);
    for (const path of [
      "/approve",
      `/approve/${approval_id}`,
      "/sessions",
      "/password",
      "/passkeys",
      "/connect",
      signIn,
    ])
      await look(path);
    await page.context().close();
  }

  expect(faults).toEqual([]);
}, 120_000);
