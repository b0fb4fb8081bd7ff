// `npm run screenshots`: every page of the console as a picture, light and dark, on a desk and on a phone, into data/screenshots.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startTestHub, type TestHub } from "../../src/testkit/hub.ts";
import { openBrowser, type TestBrowser } from "./browser.ts";
import { furnish } from "./furnished.ts";

const FOLDER = join(import.meta.dirname, "../../data/screenshots");
const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const SCHEMES = ["light", "dark"] as const;

/** What is shown, and to whom. */
const PAGES: readonly (readonly [name: string, who: string, path: string])[] = [
  ["home", "ben", "/ui"],
  ["chat", "ben", "/ui/rooms/lobby/chat"],
  ["board", "ben", "/ui/rooms/lobby/board"],
  ["task", "ben", "/ui/rooms/lobby/tasks/1"],
  ["files", "ben", "/ui/rooms/lobby/files"],
  ["search", "ben", "/ui/search?q=staging"],
  ["activity", "ben", "/ui/rooms/lobby/activity"],
  ["members", "ben", "/ui/rooms/lobby/members"],
  ["about", "ben", "/ui/rooms/lobby/about"],
  ["ask", "ben", "/ui/ask"],
  ["you", "ben", "/ui/you"],
  ["admin-hooks", "dora", "/admin/hooks"],
  ["empty-room", "ben", "/ui/rooms/ops/chat"],
  ["admin-rooms", "dora", "/admin/rooms"],
  ["admin-members", "dora", "/admin/members"],
  ["admin-tokens", "dora", "/admin/tokens"],
  ["admin-invitations", "dora", "/admin/invitations"],
  ["admin-policy", "dora", "/admin/policy"],
  ["admin-audit", "dora", "/admin/audit"],
  ["admin-state", "dora", "/admin/state"],
  ["wall", "", "/ui/wall"],
  ["wall-open", "", "/ui/wall"],
  ["login", "", "/login"],
  ["setup", "", "/"],
];

const only = process.argv.slice(2);

async function picture(hub: TestHub, browser: TestBrowser) {
  const home = hub.url.replace("127.0.0.1", "localhost");
  const tokens = { ben: (await hub.browser("ben")).token, dora: (await hub.browser("dora")).token };
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of SCHEMES) {
      for (const [name, who, path] of PAGES) {
        if (only.length > 0 && !only.some((word) => `${name}-${size}-${colorScheme}`.includes(word))) continue;
        const page = await browser.newPage({ viewport, colorScheme });
        const token = who === "ben" || who === "dora" ? tokens[who] : undefined;
        if (token !== undefined) await page.context().addCookies([{ name: "crewroom", value: token, url: home }]);
        page.on("pageerror", (error) => void process.stderr.write(`${name}: ${error.stack}\n`));
        page.on("console", (message) => void process.stderr.write(`${name}: ${message.text()}\n`));
        await page.goto(home + path);
        await settle(page);
        if (name === "wall-open") {
          await page.getByLabel("Observer's token").fill(hub.token("watcher"));
          await page.getByRole("button", { name: "Show" }).click();
          await page.locator(".task-card").first().waitFor();
          await settle(page);
        }
        await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`) });
        await page.context().close();
      }
    }
  }
}

/** Until nothing loads any more. */
async function settle(page: Page) {
  await page.locator("h1").first().waitFor();
  while ((await page.locator(".loading").count()) > 0) await page.waitForTimeout(50);
  await page.waitForTimeout(300);
}

mkdirSync(FOLDER, { recursive: true });
await using hub = await startTestHub("sqlite");
await using browser = await openBrowser();
await furnish(hub);
await picture(hub, browser);
process.stdout.write(`Pictures are in ${FOLDER}\n`);
