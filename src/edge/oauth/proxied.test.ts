import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { clientOf, openVisit, register } from "../../testkit/oauth.ts";

/** What stands in front of a hub on the internet: it ends TLS, and says so. */
async function openProxy(hub: () => string, seen: { path: string; cookies: readonly string[] }[]) {
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(hub());
    const headers = {
      ...incoming.headers,
      host: "hub.example",
      "x-forwarded-for": "198.51.100.7",
      "x-forwarded-proto": "https",
    };
    const { method = "", url: path = "" } = incoming;
    const asked = request({ hostname, port, method, path, headers }, (answer) => {
      seen.push({ path, cookies: answer.headers["set-cookie"] ?? [] });
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(asked);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((done) => void server.close(() => done()));
    },
  };
}

onEachStore("the sign-in by browser behind a proxy", (start) => {
  it("stays at the public address all the way, with cookies for https alone, whatever the console is set to", async () => {
    const seen: { path: string; cookies: readonly string[] }[] = [];
    let url = "";
    await using proxy = await openProxy(() => url, seen);
    await using hub = await start({
      CREWROOM_PUBLIC_URL: "https://hub.example",
      CREWROOM_TRUSTED_PROXIES: "127.0.0.1",
      CREWROOM_CONSOLE: "off",
    });
    url = hub.url;
    await hub.seatPeople();
    const redirect = "https://app.example/callback";
    const { body: registered } = await register(proxy.url, { redirect_uris: [redirect] });
    const client = clientOf(proxy.url, registered["client_id"], redirect);
    const visit = openVisit(proxy.url, { token: "" }, "https://hub.example");

    const resource = "https://hub.example/mcp";
    const page = await visit.get(`/oauth/authorize?${client.request({ resource }).toString()}`);
    const account = { organization: "main", user: "ann", password: PASSWORD, next: page.path };
    const asked = await visit.submit(page, "/login", account);
    if (asked instanceof URL) throw new Error(`The browser was sent to ${asked.href}.`);
    const answer = await visit.send(asked, { decision: "allow", "hub:write": "yes" });
    const { status, body } = await client.exchange(answer.searchParams.get("code") ?? "", { resource });
    const refused = await fetch(`${proxy.url}/mcp`, { method: "POST" });
    const called = await fetch(`${proxy.url}/v1/rooms`, {
      headers: { authorization: `Bearer ${body["access_token"]}` },
    });

    expect(answer.href.split("?")[0]).toBe(redirect);
    expect(answer.searchParams.get("iss")).toBe("https://hub.example");
    expect([status, called.status]).toEqual([200, 200]);
    expect(refused.headers.get("www-authenticate")).toBe(
      'Bearer resource_metadata="https://hub.example/.well-known/oauth-protected-resource/mcp", scope="hub:read hub:write"',
    );
    const cookies = seen.flatMap(({ cookies }) => cookies);
    expect(cookies.length).toBeGreaterThan(3);
    for (const cookie of cookies) expect(cookie.toLowerCase()).toMatch(/; ?secure/);
    for (const cookie of cookies) expect(cookie.toLowerCase()).toMatch(/; ?httponly/);
  });
});
