import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PASSWORD } from "../../src/testkit/cast.ts";
import { onEachStore, type TestHub } from "../../src/testkit/hub.ts";
import { openBrowser, type TestBrowser } from "./browser.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** A program with the SDK's own sign-in, and the address where it waits for the browser. */
class Program implements OAuthClientProvider, AsyncDisposable {
  readonly redirectUrl: string;
  readonly #waiting: ReturnType<typeof createServer>;
  client: StoredOAuthClientInformation | undefined;
  kept: StoredOAuthTokens | undefined;
  verifier = "";
  /** Where it sends the browser. */
  sentTo: URL | undefined;

  static async open(): Promise<Program> {
    const waiting = createServer((_, answer) => void answer.end("You can close this window."));
    await new Promise<void>((done) => waiting.listen(0, "127.0.0.1", done));
    return new Program(waiting);
  }
  private constructor(waiting: ReturnType<typeof createServer>) {
    this.#waiting = waiting;
    this.redirectUrl = `http://localhost:${(waiting.address() as AddressInfo).port}/callback`; // it listens on a port
  }
  [Symbol.asyncDispose]() {
    this.#waiting.closeAllConnections();
    return new Promise<void>((done) => void this.#waiting.close(() => done()));
  }

  get clientMetadata() {
    return { client_name: "SDK program", redirect_uris: [this.redirectUrl], token_endpoint_auth_method: "none" };
  }
  #discovered: OAuthDiscoveryState | undefined;
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.#discovered = state);
  discoveryState = () => this.#discovered;
  state = () => "a state of the program";
  clientInformation = () => this.client;
  saveClientInformation = (client: StoredOAuthClientInformation) => void (this.client = client);
  tokens = () => this.kept;
  saveTokens = (tokens: StoredOAuthTokens) => void (this.kept = tokens);
  redirectToAuthorization = (address: URL) => void (this.sentTo = address);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;

  /** What the browser brings when it comes back. */
  async answer(): Promise<URLSearchParams> {
    const [request] = (await once(this.#waiting, "request")) as [{ url: string }];
    return new URL(request.url, this.redirectUrl).searchParams;
  }
}

/** Connects; where the person has to sign in first, has `browse` do it before the page, and connects then. */
async function connect(hub: TestHub, program: Program, address: string, browse: (page: Page) => Promise<void>) {
  const open = () => new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { authProvider: program });
  const client = new Client({ name: "program", version: "1" });
  const first = open();
  await expect(client.connect(first)).rejects.toThrow(UnauthorizedError);
  await finish(hub, program, first, browse);
  await client.connect(open());
  return client;
}

async function finish(
  hub: TestHub,
  program: Program,
  transport: StreamableHTTPClientTransport,
  browse: (page: Page) => Promise<void>,
) {
  // The pages have no script, and need none.
  const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  const answer = program.answer();
  const { port } = new URL(hub.url);
  expect(program.sentTo?.origin).toBe(`http://localhost:${port}`);
  await page.goto(program.sentTo?.href ?? "");
  await browse(page);
  await transport.finishAuth(await answer);
  await page.context().close();
}

const signIn = (handle: string) => async (page: Page) => {
  await page.getByRole("heading", { name: "Sign in to go on" }).waitFor();
  await page.getByLabel("Organization").fill("main");
  await page.getByLabel("User").fill(handle);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Let SDK program in?" }).waitFor();
};

async function call(client: Client, name: string, input = {}) {
  const { content } = await client.callTool({ name, arguments: input });
  const [part] = content;
  return part?.type === "text" ? (JSON.parse(part.text) as Record<string, unknown>) : {};
}

onEachStore("the SDK's own sign-in in a real browser", (start) => {
  it("discovers, registers, is let in, works and refreshes by itself", async () => {
    await using hub = await start({ CREWROOM_CHAT_LOGIN: "off" });
    await hub.seatPeople();
    await using program = await Program.open();

    const client = await connect(hub, program, hub.url, async (page) => {
      await signIn("ann")(page);
      await page.getByRole("button", { name: "Let it in" }).click();
      await page.getByText("You can close this window.").waitFor();
    });
    const me = await call(client, "whoami");
    const before = program.kept;
    hub.later({ hours: 2 });
    const later = await call(client, "whoami");

    expect([me["user_id"], later["user_id"]]).toEqual(["ann", "ann"]);
    expect(program.kept?.access_token).not.toBe(before?.access_token);
    expect(program.kept?.refresh_token).not.toBe(before?.refresh_token);
    await client.close();
  });

  it("works by whatever name of this machine the program was given, and asks for more when something needs it", async () => {
    await using hub = await start({ CREWROOM_CHAT_LOGIN: "off" });
    await hub.seatPeople();
    await using program = await Program.open();
    const address = hub.url.replace("127.0.0.1", "localhost");

    const client = await connect(hub, program, address, async (page) => {
      await signIn("dora")(page);
      await page.getByLabel("act for you").uncheck();
      await page.getByRole("button", { name: "Let it in" }).click();
      await page.getByText("You can close this window.").waitFor();
    });
    expect(program.kept?.scope).toBe("hub:read");
    const refused = await client.callTool({ name: "get_audit_log", arguments: {} }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    const asked = program.sentTo?.searchParams.get("scope")?.split(" ");
    const transport = new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { authProvider: program });
    await finish(hub, program, transport, async (page) => {
      await signIn("dora")(page);
      await page.getByLabel("administer the organization").check();
      await page.getByRole("button", { name: "Let it in" }).click();
    });
    await client.close();
    await client.connect(transport);

    expect(asked).toEqual(expect.arrayContaining(["hub:read", "hub:write", "hub:admin"]));
    expect(program.kept?.scope).toBe("hub:read hub:write hub:admin");
    expect(await call(client, "get_audit_log")).toHaveProperty("events");
    await client.close();
  });

  it("takes a no back to the program", async () => {
    await using hub = await start({ CREWROOM_CHAT_LOGIN: "off" });
    await hub.seatPeople();
    await using program = await Program.open();

    const denied = connect(hub, program, hub.url, async (page) => {
      await signIn("ann")(page);
      await page.getByRole("button", { name: "Refuse" }).click();
      await page.getByText("You can close this window.").waitFor();
    });

    await expect(denied).rejects.toThrow(/did not let this client in/);
    expect(program.kept).toBeUndefined();
  });
});
