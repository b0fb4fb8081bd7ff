import type { CDPSession } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PASSWORD } from "../../src/testkit/cast.ts";
import { onEachStore } from "../../src/testkit/hub.ts";
import { openReceiver } from "../../src/testkit/receiver.ts";
import { openBrowser, type TestBrowser } from "./browser.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** Stands for the browser maker's push service, which is not reached from here: the browser is given this endpoint. */
const subscribesAt = (endpoint: string) => `
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => ({ endpoint: "${endpoint}/" + applicationServerKey });
  Notification.requestPermission = async () => "granted";`;

/** A browser without a screen shows no notifications: the worker is to say what it would show. */
const LISTEN = `void (self.shown = new Promise((told) => {
  ServiceWorkerRegistration.prototype.showNotification = async (title, { body }) => told(title + ": " + body);
}))`;

/** Hands the page's worker a push, as the browser does when its service has one. */
async function deliverPush(devtools: CDPSession, origin: string) {
  const registered = Promise.withResolvers<string>();
  devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
    if (first) registered.resolve(first.registrationId);
  });
  await devtools.send("ServiceWorker.enable");
  const registrationId = await registered.promise;
  await devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: "" });
}

onEachStore("a person's browser", (start) => {
  it("is told by push, and shows that something waits", async () => {
    await using receiver = await openReceiver();
    await using hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host });
    await hub.seatPeople();
    const origin = hub.url.replace("127.0.0.1", "localhost");
    const page = await browser.newPage();
    const started = page.context().waitForEvent("serviceworker");
    await page.addInitScript({ content: subscribesAt(receiver.url) });

    await page.goto(`${origin}/notices`);
    await page.getByLabel("Organization").fill("main");
    await page.getByLabel("User").fill("ben");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Tell me in this browser" }).click();
    await page.getByText("Browser: this browser").waitFor();
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Which?" });
    const [pushed] = await receiver.arrivals(1);
    const worker = await started;
    await worker.evaluate(LISTEN);
    await deliverPush(await page.context().newCDPSession(page), origin);

    expect(await worker.evaluate("self.shown")).toBe("Crewroom: Something waits for you.");
    const { push_key } = await hub.as("ben").call("list_notices");
    expect(pushed?.path).toBe(`/${push_key}`);
    await page.context().close();
  });
});
