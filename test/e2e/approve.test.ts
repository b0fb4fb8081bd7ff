import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PASSWORD } from "../../src/testkit/cast.ts";
import { onEachStore, type TestHub } from "../../src/testkit/hub.ts";
import { askAndSend, askForLevel, repliesOf } from "../../src/testkit/questions.ts";
import { openBrowser, type TestBrowser } from "./browser.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

async function signIn(page: Page, hub: TestHub, path: string) {
  await page.goto(hub.url + path);
  await page.getByLabel("Organization").fill("main");
  await page.getByLabel("User").fill("ben");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}

onEachStore("a person before a real browser", (start) => {
  it("signs in and approves without script, from the link its agent gave", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const text = "Three, with 1, 2 and 4 seconds between them.\r\nThen it gives up. ";
    const { approval_id, sent } = await askAndSend(hub, text);
    const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });

    await signIn(page, hub, new URL(sent["approve_url"]).pathname);
    const overflow = await page.locator("html").evaluate((html) => html.scrollWidth > html.clientWidth);
    await page.getByRole("button", { name: "Approve and send" }).click();

    expect(new URL(page.url()).pathname).toBe(`/approve/${approval_id}`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Sent");
    expect(overflow).toBe(false);
    expect(await repliesOf(hub)).toMatchObject([{ final_response: text, assurance: "confirmed", approved_by: "ben" }]);
    await page.context().close();
  });

  it("registers a passkey and signs an answer with it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "signed");
    const { approval_id } = await askAndSend(hub);
    const page = await browser.newPage();
    await addAuthenticator(page);

    await signIn(page, hub, "/passkeys");
    await page.getByLabel("What you call it").fill("my laptop");
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Register" }).click();
    await page.getByText("my laptop", { exact: true }).waitFor();
    await page.goto(`${hub.url}/approve/${approval_id}`);
    await page.getByLabel("Who gets it").selectOption({ label: "ann and everybody in the organization" });
    await page.getByRole("button", { name: "Sign with your passkey and send" }).click();
    await page.getByRole("heading", { name: "Sent" }).waitFor();

    expect(await repliesOf(hub)).toMatchObject([{ assurance: "signed", approved_by: "ben" }]);
    await page.context().close();
  });

  it("is shown hostile texts as texts: none of them becomes markup, runs or loads anything", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ann").call("set_my_profile", { name: HOSTILE.join(" ").slice(0, 90) });
    const everything = HOSTILE.join("\n");
    const { approval_id } = await askAndSend(hub, everything, { question: everything });
    const page = await browser.newPage();
    const asked: string[] = [];
    const said: string[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
    page.on("console", (message) => void said.push(message.text()));
    page.on("pageerror", (error) => void said.push(error.message));
    page.on("dialog", (dialog) => void dialog.dismiss().then(() => said.push("a dialog")));
    await signIn(page, hub, `/approve/${approval_id}`);

    const elements = await page.evaluate<string[]>(
      "[...new Set([...document.querySelectorAll('*')].map((element) => element.localName))]",
    );
    const answer = await page.locator(".answer").evaluate((element) => element.textContent);
    await page.goto(`${hub.url}/approve`);

    expect(elements.filter((name) => !OURS.has(name))).toEqual([]);
    expect(answer?.replaceAll(/leads to [\w.:-]+/g, "")).toBe(everything);
    expect(new Set(asked)).toEqual(new Set([`/approve/${approval_id}`, "/login", "/assets/pages.css", "/approve"]));
    expect(said).toEqual([]);
    await page.context().close();
  });
});

/** A passkey that answers by itself, having "seen" its person. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** What our own pages are made of. */
const OURS = new Set(
  "html head meta title link body header a nav span bdi form input button main h1 h2 p strong time div label select option dl dt dd details summary mark".split(
    " ",
  ),
);

const HOSTILE = [
  "<script>alert(1)</script>",
  "</div></main><script src=https://evil.example/x.js></script>",
  "<img src=https://evil.example/x.png onerror=alert(1)>",
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  "<style>@import url(https://evil.example/x.css)</style>",
  "<link rel=stylesheet href=https://evil.example/x.css>",
  "<base href=https://evil.example/>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<iframe src=https://evil.example></iframe>",
  "<form action=https://evil.example><button>Approve and send</button></form>",
  "<textarea>",
  "<!--",
  "</title><script>alert(1)</script>",
  "<![CDATA[<script>alert(1)</script>]]>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "[x](javascript:alert(1)) ![y](https://evil.example/y.png)",
  "${alert(1)} {{alert(1)}} <%= alert(1) %>",
  "<math><mtext></form><form><mglyph><svg><mtext><textarea><path id=x><img onerror=alert(1) src>",
  "\\x3cscript\\x3ealert(1)\\x3c/script\\x3e",
];
