import type { BrowserContextOptions, Page } from "playwright-core";
import type { TestHub } from "../../src/testkit/hub.ts";
import type { TestBrowser } from "./browser.ts";

/** Where a browser opens a hub: pages on this machine have one name. */
export const homeOf = (hub: { readonly url: string }): string => hub.url.replace("127.0.0.1", "localhost");

/** A page of the console before a person of the cast, and whatever went wrong in it. */
export interface ConsoleVisit extends AsyncDisposable {
  readonly page: Page;
  /** What browsers complain of: errors, refusals of the policy, dialogs. */
  readonly complaints: readonly string[];
  /** Every address that was asked for beyond the hub's own. */
  readonly elsewhere: readonly string[];
}

export async function visitConsole(
  browser: TestBrowser,
  hub: TestHub,
  handle: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<ConsoleVisit> {
  const home = homeOf(hub);
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => void complaints.push(error.message));
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => complaints.push(`dialog: ${dialog.message()}`)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(home) && !url.startsWith("data:")) elsewhere.push(url);
  });
  const { token } = await hub.browser(handle);
  await page.context().addCookies([{ name: "crewroom", value: token, url: home }]);
  await page.goto(home + path);
  return { page, complaints, elsewhere, [Symbol.asyncDispose]: () => page.context().close() };
}
