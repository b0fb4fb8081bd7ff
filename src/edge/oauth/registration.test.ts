import { expect, it } from "vitest";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { letIn, register } from "../../testkit/oauth.ts";
import { normaliseClient } from "./clients.ts";

const clientsOf = (hub: TestHub) =>
  hub.hub.store.read(async (tx) => {
    const row = await tx.one<{ clients: number }>(
      sql`select count(*) as clients from oauth_records where kind = 'Client'`,
    );
    return row?.clients;
  });

const usual = { redirect_uris: ["http://localhost:3118/callback"] };
const redirectsOf = (redirect_uris: unknown) => normaliseClient({ redirect_uris }, "id", 0).redirect_uris;

onEachStore("the registration of clients", (start) => {
  it("takes what real clients send, and gives no secret to anybody", async () => {
    await using hub = await start();
    const answer = {
      client_id: expect.stringMatching(/^[\w-]{32}$/),
      client_id_issued_at: expect.any(Number),
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };

    const claude = await register(hub.url, {
      client_name: "Claude Code (crewroom)",
      redirect_uris: ["http://localhost:53117/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
      scope: "hub:read hub:write offline_access",
    });
    const cursor = await register(hub.url, {
      client_name: "Cursor",
      redirect_uris: [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
        "http://odd.example/callback",
      ],
      application_type: "web",
      token_endpoint_auth_method: "client_secret_post",
    });
    const bare = await register(hub.url, usual);
    const only = await register(hub.url, { ...usual, grant_types: ["authorization_code", "urn:other"] });

    expect([claude.status, claude.body]).toEqual([
      201,
      { ...answer, client_name: "Claude Code (crewroom)", redirect_uris: ["http://localhost:53117/callback"] },
    ]);
    expect([cursor.status, cursor.body]).toEqual([
      201,
      {
        ...answer,
        client_name: "Cursor",
        redirect_uris: [
          "cursor://anysphere.cursor-mcp/oauth/callback",
          "https://www.cursor.com/agents/mcp/oauth/callback",
          "http://localhost:8787/callback",
        ],
      },
    ]);
    expect([bare.status, bare.body["client_name"]]).toEqual([201, "A client without a name"]);
    expect(only.body["grant_types"]).toEqual(["authorization_code"]);
    expect(claude.headers.get("cache-control")).toBe("no-store");
  });

  it("keeps a redirect that leads to a site, to this machine or to an app, and no other", async () => {
    const good = [
      "https://app.example/cb",
      "http://localhost/cb",
      "http://127.0.0.1:1/cb",
      "http://[::1]:1/cb",
      "vscode://vscode.github-authentication/did-authenticate",
      "com.example.app:/oauth",
    ];
    const odd = [
      "http://app.example/cb",
      "http://127.0.0.1.evil.example/cb",
      "https://localhost/cb",
      "https://user@app.example/cb",
      "https://app.example/cb#fragment",
      "javascript:alert(1)",
      "ms-word:ofe|u|https://evil.example/a.docx",
      "search-ms:query=x",
      "data:text/html,x",
      "file:///etc/passwd",
      "blob:https://app.example/x",
      "about:blank",
      "ftp://app.example/cb",
      "https://app.example/\r\nset-cookie: x",
      "https://app.example/é",
      "/cb",
      "",
      7,
      null,
      `https://app.example/${"x".repeat(1_000)}`,
    ];

    for (const redirect of good)
      expect(redirectsOf([...odd.slice(10), redirect, ...odd.slice(0, 8)]), redirect).toEqual([redirect]);
    for (const none of [odd.slice(0, 12), odd.slice(12), [], undefined, "https://app.example/cb", {}]) {
      expect(() => redirectsOf(none)).toThrow(/none that can be used/);
    }
    expect(redirectsOf([...good, ...good])).toEqual(good);
  });

  it("shows what hides in a name, and cuts a long one", () => {
    const nameOf = (client_name: unknown) => normaliseClient({ ...usual, client_name }, "id", 0).client_name;

    expect(nameOf("Claude\u202e edoC\n\u0000 now")).toBe("Claude\\u{202e} edoC now");
    expect(Array.from(nameOf("😀".repeat(200)))).toHaveLength(100);
    for (const none of ["", "  ", 7, null, "\ud800"]) expect(nameOf(none)).toBe("A client without a name");
  });

  it("refuses in OAuth's form what cannot be made good", async () => {
    await using hub = await start();
    const post = async (body: string, type = "application/json") => {
      const headers = { "content-type": type };
      const answer = await fetch(`${hub.url}/oauth/register`, { method: "POST", headers, body });
      return [answer.status, ((await answer.json()) as { error: string }).error];
    };

    expect(await post(JSON.stringify({ redirect_uris: ["http://odd.example/"] }))).toEqual([
      400,
      "invalid_redirect_uri",
    ]);
    expect(await post("{}")).toEqual([400, "invalid_redirect_uri"]);
    expect(await post("[]")).toEqual([400, "invalid_request"]);
    expect(await post("{")).toEqual([400, "invalid_request"]);
    expect(await post('{"__proto__":{}}')).toEqual([400, "invalid_request"]);
    expect(await post(JSON.stringify({ ...usual, client_name: "x".repeat(40_000) }))).toEqual([413, "invalid_request"]);
    expect(await post("a=b", "application/x-www-form-urlencoded")).toEqual([415, "invalid_request"]);
    expect(await clientsOf(hub)).toBe(0);
  });

  it("is bounded for each address, and leaves everybody else alone", async () => {
    await using hub = await start({ CREWROOM_TRUSTED_PROXIES: "127.0.0.1" });
    const from = async (address: string) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": address };
      const answer = await fetch(`${hub.url}/oauth/register`, { method: "POST", headers, body: JSON.stringify(usual) });
      return { status: answer.status, retry: answer.headers.get("retry-after"), body: (await answer.json()) as object };
    };

    const storm = await Promise.all(Array.from({ length: 1_000 }, () => from("198.51.100.1")));
    const other = await from("198.51.100.2");
    const working = await hub.as("box1").try("list_rooms");

    expect(storm.filter(({ status }) => status === 201)).toHaveLength(60);
    expect(await clientsOf(hub)).toBe(61);
    const refusals = storm.filter(({ status }) => status !== 201);
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([429]));
    expect(Number(refusals[0]?.retry)).toBeGreaterThan(0);
    expect(refusals[0]?.body).toMatchObject({ error: "temporarily_unavailable" });
    expect([other.status, working.ok]).toEqual([201, true]);
  });

  it("keeps a client for a day, and one that somebody signed in with as long as that lasts", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { client, refresh } = await letIn(hub, "ann");
    const unused = await register(hub.url, usual);
    const knows = async (id: string) => {
      const { body } = await client.token({ grant_type: "refresh_token", client_id: id, refresh_token: "x" });
      return body["error"] === "invalid_grant";
    };

    expect([await knows(client.id), await knows(unused.body["client_id"])]).toEqual([true, true]);
    hub.later({ hours: 25 });
    expect([await knows(client.id), await knows(unused.body["client_id"])]).toEqual([true, false]);
    hub.later({ days: 28 });
    expect((await client.refresh(refresh)).status).toBe(200);
  });
});
