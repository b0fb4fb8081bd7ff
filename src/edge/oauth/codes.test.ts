import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { StoreError } from "../../store/store.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { clientOf, type OAuthClient, openVisit, register, registerClient, wayBackIn } from "../../testkit/oauth.ts";

const isAccepted = async (hub: TestHub, token: string) =>
  (await fetch(`${hub.url}/v1/rooms`, { headers: { authorization: `Bearer ${token}` } })).status === 200;

/** Where the browser of somebody who signed in ends: what page it sees, or where it was sent. */
async function authorize(hub: TestHub, client: OAuthClient, given: Readonly<Record<string, string | undefined>>) {
  const end = await openVisit(hub.url, await hub.browser("ann")).follow(
    `/oauth/authorize?${client.request(given).toString()}`,
  );
  if (end instanceof URL) return `sent to ${end.href}`;
  const error = wayBackIn(end)?.searchParams.get("error");
  return `${end.status} ${end.path.split("?")[0]}${error ? ` ${error}` : ""}`;
}

async function newCode(hub: TestHub, client: OAuthClient): Promise<string> {
  return (await client.signIn(await hub.browser("ann"))).searchParams.get("code") ?? "";
}

const refused = { status: 400, body: { error: "invalid_grant" } };

onEachStore("an authorization code", (start) => {
  it("goes to a redirect that was registered, to the letter; only loopback may come with any port", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { body } = await register(hub.url, {
      redirect_uris: [
        "https://app.example/callback",
        "http://localhost/callback",
        "http://127.0.0.1:1234/cb?x=1",
        "http://[::1]/callback",
        "cursor://anysphere.cursor-mcp/oauth",
      ],
    });
    const client = clientOf(hub.url, body["client_id"], "");
    const asks = expect.stringMatching(/^200 \/oauth\/login\/[\w-]{43}$/);

    for (const redirect_uri of [
      "https://app.example/callback",
      "http://localhost:65000/callback",
      "http://localhost/callback",
      "http://127.0.0.1:9/cb?x=1",
      "http://[::1]:8/callback",
      "cursor://anysphere.cursor-mcp/oauth",
    ]) {
      expect(await authorize(hub, client, { redirect_uri }), redirect_uri).toEqual(asks);
    }
    for (const redirect_uri of [
      "https://app.example/callback/extra",
      "https://app.example/callback/",
      "https://app.example/callback?a=b",
      "https://app.example/callback#x",
      "https://app.example:8443/callback",
      "https://user@app.example/callback",
      "https://app.example@evil.example/callback",
      "https://APP.example/callback",
      "https://app.example/CALLBACK",
      "https://app.example/x/../callback",
      "https://app.example/%63allback",
      "https://app.example.evil.example/callback",
      "http://app.example/callback",
      "https://localhost/callback",
      "http://localhost:1/callback/extra",
      "http://localhost:1/callback?a=b",
      "http://localhost:1@evil.example/callback",
      "http://localhost.evil.example/callback",
      "http://127.0.0.1:9/callback",
      "http://127.0.0.2/callback",
      "http://2130706433/callback",
      "cursor://anysphere.cursor-mcp/oauth/x",
      "javascript:alert(1)",
      "",
      undefined,
    ]) {
      expect(await authorize(hub, client, { redirect_uri }), redirect_uri).toBe("400 /oauth/authorize");
    }
  });

  it("is given to no unknown client, and tells the person so on a page", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = clientOf(hub.url, "nobody", "https://evil.example/callback");

    const page = await openVisit(hub.url, await hub.browser("ann")).get(
      `/oauth/authorize?${client.request().toString()}`,
    );

    expect(page.status).toBe(400);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.text).toContain("This hub knows no such client");
    expect(page.text).not.toContain("evil.example");
  });

  it("needs a proof by SHA-256, of a form that can be one, and its verifier", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const plain = client.verifier;

    for (const given of [
      { code_challenge: undefined },
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge_method: "plain", code_challenge: plain },
      { code_challenge_method: undefined },
      { code_challenge_method: "S512" },
      { code_challenge: "x".repeat(42) },
      { code_challenge: "x".repeat(44) },
      { code_challenge: "" },
    ]) {
      expect(await authorize(hub, client, given), JSON.stringify(given)).toBe("400 /oauth/authorize");
    }
    for (const code_verifier of ["x".repeat(43), plain.slice(0, 42), plain.toUpperCase(), "", `${plain}x`]) {
      const { status, body } = await client.exchange(await newCode(hub, client), { code_verifier });
      expect([status, body["error"]], code_verifier).toEqual([400, expect.stringMatching(/^invalid_(grant|request)$/)]);
      expect(body["access_token"]).toBeUndefined();
    }
    const challenge = createHash("sha256").update(plain).digest("base64url");
    expect(await client.exchange(await newCode(hub, client), { code_verifier: challenge })).toMatchObject(refused);
  });

  it("works once: a second use ends what the first one gave", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const code = await newCode(hub, client);

    const first = await client.exchange(code);
    const held = await isAccepted(hub, first.body["access_token"]);
    const second = await client.exchange(code);

    expect([first.status, held]).toEqual([200, true]);
    expect(second).toMatchObject(refused);
    expect(await isAccepted(hub, first.body["access_token"])).toBe(false);
    expect(await client.refresh(first.body["refresh_token"])).toMatchObject(refused);
    expect((await hub.eventsOf(null)).filter(({ kind }) => kind === "signed_out")).toEqual([
      expect.objectContaining({ actor: "crewroom", concerns: ["ann"] }),
    ]);
  });

  it("works once for two who come at the same time, and then for neither", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);

    for (let round = 0; round < 3; round++) {
      const code = await newCode(hub, client);
      const answers = await Promise.all(Array.from({ length: 4 }, () => client.exchange(code)));
      const given = answers.filter(({ status }) => status === 200);
      expect(given.length).toBeLessThanOrEqual(1);
      for (const { body } of given) expect(await isAccepted(hub, body["access_token"])).toBe(false);
    }
  });

  it("works for its own client, its own redirect and sixty seconds only", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const thief = await registerClient(hub.url);
    const code = await newCode(hub, client);
    const late = await newCode(hub, client);

    const stolen = await thief.exchange(code, { code_verifier: client.verifier });
    const elsewhere = await client.exchange(code, { redirect_uri: "http://localhost:1/callback" });
    const wrongForm = await client.exchange(code, { redirect_uri: `${client.redirect}/` });
    hub.later({ seconds: 59 });
    const inTime = await client.exchange(code);
    hub.later({ seconds: 2 });
    const tooLate = await client.exchange(late);

    for (const answer of [stolen, elsewhere, wrongForm, tooLate]) expect(answer).toMatchObject(refused);
    expect(inTime.status).toBe(200);
    // A wrong try by others costs the owner nothing.
    expect(await isAccepted(hub, inTime.body["access_token"])).toBe(true);
  });

  it("is the only thing that is given for a sign-in: no tokens in addresses, no passwords for tokens", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);

    for (const response_type of ["token", "id_token", "code id_token", "none", "", undefined]) {
      const end = await authorize(hub, client, { response_type });
      expect(end, response_type).toMatch(/^400 \/oauth\/authorize (unsupported_response_type|invalid_request)$/);
    }
    for (const grant_type of [
      "password",
      "client_credentials",
      "implicit",
      "urn:ietf:params:oauth:grant-type:device_code",
      "",
    ]) {
      const { status, body } = await client.token({ grant_type, client_id: client.id, username: "ann", password: "x" });
      expect([status, body["error"]], grant_type).toEqual([400, expect.stringMatching(/unsupported|invalid_request/)]);
    }
  });

  it("is not given while the database is away, and the client is told to come again", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const code = await newCode(hub, client);
    const { store } = hub.hub;
    const away = () => Promise.reject(new StoreError("away"));
    const working = { read: store.read, write: store.write };

    Object.assign(store, { read: away, write: away });
    const exchanged = await client.exchange(code);
    const registered = await register(hub.url, { redirect_uris: [client.redirect] });
    const page = await openVisit(hub.url, { token: "" }).get(`/oauth/authorize?${client.request().toString()}`);
    Object.assign(store, working);
    const again = await client.exchange(code);

    for (const { status, body } of [exchanged, registered])
      expect([status, body]).toEqual([
        503,
        {
          error: "temporarily_unavailable",
          error_description: expect.stringMatching(/^The database does not answer\./),
        },
      ]);
    expect([page.status, page.text]).toEqual([503, expect.stringContaining("The database does not answer.")]);
    expect(again.status).toBe(200);
  });

  it("is refused in OAuth's form and the hub's words, whatever was sent", async () => {
    await using hub = await start();
    const post = async (headers: Record<string, string>, body: string) => {
      const answer = await fetch(`${hub.url}/oauth/token`, { method: "POST", headers, body });
      return [answer.status, await answer.json()] as const;
    };
    const form = { "content-type": "application/x-www-form-urlencoded" };

    for (const [headers, body] of [
      [form, ""],
      [form, "grant_type=authorization_code"],
      [form, "grant_type=x&grant_type=y"],
      [form, "grant_type=%ff"],
      [form, "grant_type=authorization_code&client_id=nobody&code=x&redirect_uri=x&code_verifier=x"],
      [{ ...form, accept: "text/html" }, "grant_type=authorization_code&client_id=nobody"],
      [{ ...form, authorization: "Bearer x" }, "grant_type=authorization_code&client_id=nobody"],
      [{ "content-type": "application/json" }, "{}"],
      [{ "content-type": "text/plain" }, "x"],
      [{ ...form, "content-encoding": "gzip" }, "x"],
      [form, `code=${"x".repeat(70_000)}`],
    ] as const) {
      const [status, told] = await post(headers, body);
      expect(status, body.slice(0, 60)).toBeGreaterThanOrEqual(400);
      expect(status, body.slice(0, 60)).toBeLessThan(500);
      expect(told, body.slice(0, 60)).toEqual({
        error: expect.stringMatching(/^(invalid_request|invalid_client|unsupported_grant_type)$/),
        error_description: expect.stringMatching(/^[A-Z"'][\x20-\x7e]+\.$/),
      });
    }
  });
});
