import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { TESTED_STORES } from "../../src/testkit/databases.ts";
import { startTestHub, type TestHub } from "../../src/testkit/hub.ts";
import { openBrowser } from "./browser.ts";
import { visitConsole } from "./console-visit.ts";
import { HOSTILE } from "./hostile.ts";

// What a page makes of a text does not depend on the database.
const [store = "sqlite"] = TESTED_STORES;

/** Texts in one message. */
const TOGETHER = 4;

it("no text of others becomes markup, runs, loads or leads anywhere but where it says", async () => {
  expect(HOSTILE.length).toBeGreaterThan(300);
  await using hub = await startTestHub(store);
  await hub.seatPeople();
  await write(hub);
  await using browser = await openBrowser();
  await using ben = await visitConsole(browser, hub, "ben", "/ui");
  const { page, complaints, elsewhere } = ben;
  const found: Seen[] = [];
  for (const path of [
    "",
    "/ask",
    "/rooms/lobby/board",
    "/rooms/lobby/tasks/1",
    "/rooms/lobby/files",
    "/search?q=evil",
    "/rooms/lobby/activity",
    "/rooms/lobby/members",
    "/rooms/lobby/about",
  ]) {
    await page.goto(`${new URL(page.url()).origin}/ui${path}`);
    await page.locator("h1").waitFor();
    await expect.poll(() => page.locator(".loading").count(), { timeout: 15_000 }).toBe(0);
    found.push(await look(page));
  }
  await page.goto(`${new URL(page.url()).origin}/ui/rooms/lobby/chat`);
  await page.getByRole("article").last().waitFor();
  await page.getByRole("log").hover();
  await expect
    .poll(
      async () => {
        found.push(await look(page));
        await page.mouse.wheel(0, -700);
        return page.getByRole("article", { name: "m1," }).count();
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBe(1);
  found.push(await look(page));

  expect([...new Set(found.flatMap(({ elements }) => elements))].filter((name) => !OURS.has(name))).toEqual([]);
  expect(
    [...new Set(found.flatMap(({ links }) => links))].filter((link) => !/^(https?:\/\/|mailto:)/.test(link)),
  ).toEqual([]);
  expect(found.flatMap(({ styled }) => styled)).toEqual([]);
  expect([...complaints, ...elsewhere]).toEqual([]);
}, 180_000);

/** Every field that others can fill in, filled in. */
async function write(hub: TestHub) {
  const all = HOSTILE.join("\n\n").slice(0, 14_000);
  const box = hub.as("box1");
  for (let at = 0; at < HOSTILE.length; at += TOGETHER)
    await box.call("post_message", { body: HOSTILE.slice(at, at + TOGETHER).join("\n\n") });
  await box.call("create_task", {
    title: HOSTILE.slice(0, 8).join(" ").slice(0, 290),
    body: all,
    labels: HOSTILE.slice(0, 5).map((text) => text.slice(0, 40)),
    links: ["https://good.example/?x=<script>alert(1)</script>"],
  });
  for (const name of HOSTILE.slice(0, 20)) {
    const plain = name.replace(/[\\/\p{C}]/gu, "_").slice(0, 90);
    await box.call("put_file", { name: plain, content_base64: "PHNjcmlwdD4=", mime: "text/html" });
  }
  await box.call("add_note", { task_id: 1, body: all });
  await hub
    .as("boss")
    .call("set_room_info", { description: all.slice(0, 1_900), onboarding_notes: all.slice(2_000, 5_900) });
  await hub.as("ann").call("set_my_profile", {
    name: HOSTILE.slice(2, 5).join(" ").slice(0, 90),
    ownership: HOSTILE.slice(5, 9),
    notes: all.slice(0, 3_900),
  });
  await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: all, options: HOSTILE.slice(0, 9) });
  await hub.as("benbot").call("propose_response", { message_id: 1, draft_text: all });
  await hub.as("ben").call("ask_person", { to_user_id: "cleo", question: all });
  await hub.as("cleo").call("propose_response", { message_id: 2, draft_text: all });
  const { approval_id } = await hub.as("cleo").call("send_response", { message_id: 2 });
  const cleo = await hub.browser("cleo");
  const { hash } = await cleo.call("show_approval", { approval_id });
  await cleo.call("approve_answer", { approval_id, hash });
}

interface Seen {
  readonly elements: readonly string[];
  readonly links: readonly string[];
  readonly styled: readonly string[];
}

/** What stands on the page now. */
async function look(page: Page): Promise<Seen> {
  return page.locator("#app").evaluate((app) => {
    const all = [...app.querySelectorAll("*")];
    const links = all.flatMap((one) =>
      one.localName === "a" && one.getAttribute("target") === "_blank" ? [one.getAttribute("href") ?? ""] : [],
    );
    const bare = all.filter(
      (one) =>
        one.localName === "a" &&
        one.getAttribute("target") === "_blank" &&
        !/noopener.*nofollow/.test(one.getAttribute("rel") ?? ""),
    );
    const acting = all.filter((one) =>
      [...one.attributes].some(({ name }) => name.startsWith("on") || name === "srcdoc"),
    );
    return {
      elements: [...new Set(all.map((one) => one.localName))],
      links,
      styled: [...bare, ...acting].map((one) => one.outerHTML),
    };
  });
}

/** What the console is made of. */
const OURS = new Set(
  "div span p a nav aside main header section article h1 h2 ul ol li button form label input textarea select option details summary time bdi strong em del code pre blockquote br hr svg path dl dt dd table thead tbody tr th td".split(
    " ",
  ),
);
