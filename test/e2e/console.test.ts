import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PASSWORD } from "../../src/testkit/cast.ts";
import { onEachStore } from "../../src/testkit/hub.ts";
import { repliesOf } from "../../src/testkit/questions.ts";
import { openBrowser, type TestBrowser } from "./browser.ts";
import { homeOf, visitConsole } from "./console-visit.ts";

/** Without a reload; how soon is the machine's business, which others use too. */
const SOON = { timeout: 10_000 };

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const cardsIn = (page: Page, column: string) =>
  page.getByRole("region", { name: column }).locator(".task-card .card-title");

onEachStore("the console in a real browser", (start) => {
  it("leads a newcomer from the invitation to the first message", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { link } = await (await hub.browser("dora")).call("invite_person", { user_id: "eve" });
    const page = await browser.newPage();

    await page.goto(homeOf(hub) + new URL(String(link)).pathname);
    await page.getByLabel("Your name").fill("Eve");
    for (const field of await page.locator("input[type=password]").all()) await field.fill("a password that Eve chose");
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("link", { name: "lobby" }).click();
    await page.getByLabel("Message", { exact: true }).fill("Hello from *Eve*, @ben");
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "m1, eve" }).getByText("Hello from Eve, @ben").waitFor(SOON);

    const { messages } = await hub.as("ben").call("read_messages", { mentions_me: true });
    expect(messages).toMatchObject([{ id: 1, author: "eve", body: "Hello from *Eve*, @ben" }]);
    await page.context().close();
  });

  it("takes two clicks from what waits to an answer that left, with one word changed", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "How many retries?" });
    await hub.as("benbot").call("propose_response", { message_id: 1, draft_text: "Three, with growing pauses." });
    const page = await browser.newPage();
    await page.goto(`${homeOf(hub)}/ui`);
    await page.getByLabel("Organization").fill("main");
    await page.getByLabel("User").fill("ben");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();

    await page.getByLabel("Your answer").fill("Four, with growing pauses.");
    await page.getByRole("button", { name: "Review and approve" }).click();
    await page.getByRole("button", { name: "Approve and send" }).click();
    await page.getByRole("heading", { name: "Sent" }).waitFor();

    expect(await repliesOf(hub)).toMatchObject([
      { final_response: "Four, with growing pauses.", assurance: "confirmed", approved_by: "ben" },
    ]);
    await page.context().close();
  });

  it("shows a question, a draft and an answer as they come, with the count on the tab", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await using ben = await visitConsole(browser, hub, "ben", "/ui");
    await using ann = await visitConsole(browser, hub, "ann", "/ui");
    await ben.page.getByText("Nobody waits for an answer of yours").waitFor();

    await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "How many retries?" });
    await ben.page.getByText("How many retries?").waitFor(SOON);
    await hub.as("benbot").call("propose_response", { message_id: 1, draft_text: "Three." });
    await expect.poll(() => ben.page.getByLabel("Your answer").inputValue(), SOON).toBe("Three.");
    expect(await ben.page.title()).toBe("(1) Home · Crewroom");

    const { approval_id } = await hub.as("benbot").call("send_response", { message_id: 1 });
    const pressing = await hub.browser("ben");
    const { hash } = await pressing.call("show_approval", { approval_id });
    await pressing.call("approve_answer", { approval_id, hash });
    await ann.page.getByText("Approved by ben").waitFor(SOON);
    await ben.page.getByText("Nobody waits for an answer of yours").waitFor(SOON);
    expect([...ben.complaints, ...ann.complaints]).toEqual([]);
  });

  it("shows at home what happens in any of the rooms, and marks the room", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await using ben = await visitConsole(browser, hub, "ben", "/ui/rooms/ops/chat");
    await ben.page.getByText("Nothing was said yet").waitFor();
    await ben.page.getByRole("link", { name: "Home" }).click();
    await ben.page.getByText("Nobody named you this week").waitFor();

    await hub.as("opsbox").call("post_message", { body: "@ben the disk of staging is full" });
    await ben.page.getByText("the disk of staging is full").waitFor(SOON);
    await ben.page.getByRole("link", { name: "ops something new" }).waitFor(SOON);
    await hub.as("opsbox").call("create_task", { title: "Free some space", assignee: "ben" });
    await ben.page.getByRole("link", { name: "Free some space" }).waitFor(SOON);
    expect(ben.complaints).toEqual([]);
  });

  it("shows a card where another browser put it, by mouse, by keyboard and by choice", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("box1").call("create_task", { title: "Water the plants" });
    await using ben = await visitConsole(browser, hub, "ben", "/ui/rooms/lobby/board");
    await using cleo = await visitConsole(browser, hub, "cleo", "/ui/rooms/lobby/board");
    await cardsIn(ben.page, "Pending").getByText("Water the plants").waitFor();
    await cardsIn(cleo.page, "Pending").getByText("Water the plants").waitFor();

    await dragTo(ben.page, "Water the plants", "In progress");
    await cardsIn(cleo.page, "In progress").getByText("Water the plants").waitFor(SOON);

    await ben.page.getByRole("button", { name: "Drag #1" }).focus();
    for (const key of ["Space", "ArrowRight", "Space"]) await ben.page.keyboard.press(key, { delay: 100 });
    await cardsIn(cleo.page, "Blocked").getByText("Water the plants").waitFor(SOON);

    await ben.page.getByLabel("Move #1 to").selectOption("Done");
    await cardsIn(cleo.page, "Done").getByText("Water the plants").waitFor(SOON);
    const { task } = await hub.as("box1").call("get_task", { task_id: 1 });
    expect(task).toMatchObject({ status: "done", assignee: "ben" });
    expect([...ben.complaints, ...cleo.complaints]).toEqual([]);
  });

  it("puts a file with a message, hands it out as something to save, and finds it by its name", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await using ben = await visitConsole(browser, hub, "ben", "/ui/rooms/lobby/chat");
    const { page } = ben;

    const content = Buffer.from("<script>alert(1)</script>");
    await page
      .getByLabel("Choose files")
      .setInputFiles({ name: "plan b.html", mimeType: "text/html", buffer: content });
    await page.getByRole("button", { name: "Do not attach plan b.html" }).waitFor();
    await page.getByLabel("Message", { exact: true }).fill("The plan.");
    await page.keyboard.press("Enter");
    const download = page.waitForEvent("download");
    await page.getByRole("article").getByRole("link", { name: "plan b.html" }).click();
    expect((await download).suggestedFilename()).toBe("plan b.html");

    await page.getByRole("link", { name: "Search" }).click();
    await page.getByLabel("Words to find").fill("plan");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "plan b.html" }).waitFor(SOON);
    expect(ben.complaints).toEqual([]);
  });

  it("shows a room on a wall to an observer's token, which is kept nowhere, and takes none that may change things", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "Water the plants" });
    const page = await browser.newPage();
    await page.goto(`${homeOf(hub)}/ui/wall`);
    await page.getByLabel("Observer's token").fill(hub.token("box1"));
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("This token may change things.").waitFor();

    await page.getByLabel("Observer's token").fill(hub.token("watcher"));
    await page.getByRole("button", { name: "Show" }).click();
    await cardsIn(page, "Pending").getByText("Water the plants").waitFor();
    await hub.as("box1").call("post_message", { body: "They are wet." });
    await page.getByText("They are wet.").waitFor(SOON);
    await hub.as("box1").call("claim_task", { task_id: 1 });
    await cardsIn(page, "In progress").getByText("Water the plants").waitFor(SOON);

    const { origins, cookies } = await page.context().storageState();
    expect(JSON.stringify([origins, cookies, page.url()])).not.toContain("crw_");
    expect(await page.getByRole("textbox").count()).toBe(0);
    await page.context().close();
  });

  it("leads to the sign-in when the session ends, and back to where it was", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await using ben = await visitConsole(browser, hub, "ben", "/ui/rooms/lobby/board");
    await ben.page.getByRole("region", { name: "Pending" }).waitFor();

    const { sessions } = await hub.as("ben").call("list_sessions");
    for (const { session_id, kind } of sessions)
      if (kind !== "usr") await hub.as("ben").try("revoke_session", { session_id });
    await ben.page.waitForURL(/\/login\?next=%2Fui%2Frooms%2Flobby%2Fboard$/);
  });

  it("lets a card be dragged by a finger that rested on it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("box1").call("create_task", { title: "Water the plants" });
    await using ben = await visitConsole(browser, hub, "ben", "/ui/rooms/lobby/board", {
      hasTouch: true,
      viewport: { width: 760, height: 800 },
    });
    const { page } = ben;
    const devtools = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: { x: number; y: number }[]) =>
      devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
    const { card, place } = await boxesOf(page, "Water the plants", "In progress");
    const [from, to] = [
      { x: card.x + 20, y: card.y + 12 },
      { x: place.x + 60, y: place.y + 60 },
    ];

    await touch("touchStart", from);
    await page.locator(".task-card.lifted").waitFor();
    for (const part of [0.3, 0.6, 1])
      await touch("touchMove", { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
    await touch("touchEnd");

    await cardsIn(page, "In progress").getByText("Water the plants").waitFor(SOON);
    // The card moves before the hub has answered.
    await expect
      .poll(async () => (await hub.as("box1").call("get_task", { task_id: 1 }))["task"], { timeout: SOON.timeout })
      .toMatchObject({ assignee: "ben" });
  });

  it("lets a message be answered by fingers alone, on a phone", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("box1").call("post_message", { body: "Is it wet?" });
    await using ben = await visitConsole(browser, hub, "ben", "/ui", {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 844 },
    });
    const { page } = ben;

    await page.getByRole("button", { name: "Menu" }).tap();
    await page.getByRole("link", { name: "lobby" }).tap();
    await page.getByText("Is it wet?").tap();
    await page.getByRole("button", { name: "Reply: m1" }).tap();
    await page.getByLabel("Message", { exact: true }).fill("It is.");
    await page.getByRole("button", { name: "Send" }).tap();
    await page.getByRole("article", { name: "m2, ben" }).waitFor(SOON);

    const { messages } = await hub.as("box1").call("read_messages", { since_id: 1 });
    expect(messages).toMatchObject([{ body: "It is.", reply_to: 1 }]);
  });

  it("puts a card back that the hub does not let move, and says why", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("box1").call("create_task", { title: "First" });
    await hub.as("box1").call("create_task", { title: "Second", depends_on: [1] });
    await using ben = await visitConsole(browser, hub, "ben", "/ui/rooms/lobby/board");

    await ben.page.getByLabel("Move #2 to").selectOption("In progress");

    await ben.page.locator(".toast.bad").getByText("#1").first().waitFor(SOON);
    await cardsIn(ben.page, "Pending").getByText("Second").waitFor(SOON);
  });
});

async function dragTo(page: Page, title: string, column: string) {
  const { card, place } = await boxesOf(page, title, column);
  await page.mouse.move(card.x + 20, card.y + 12);
  await page.mouse.down();
  await page.mouse.move(place.x + 60, place.y + 60, { steps: 8 });
  await page.mouse.up();
}

async function boxesOf(page: Page, title: string, column: string) {
  const card = await page.locator(".task-card", { hasText: title }).boundingBox();
  const place = await page.getByRole("region", { name: column }).boundingBox();
  if (!card || !place) throw new Error("Nothing to drag.");
  return { card, place };
}
