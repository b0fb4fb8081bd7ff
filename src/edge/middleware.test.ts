import { expect, it } from "vitest";
import { makeToken } from "../access/tokens.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { requestText, sendRaw } from "../testkit/wire.ts";

const codeIn = (body: string): string =>
  body.startsWith("{") ? ((JSON.parse(body) as { error?: { code: string } }).error?.code ?? "none") : "no JSON"; // our error shape

/** What `GET /v1/rooms` gives box1 with these headers: status and code. */
async function ask(hub: TestHub, headers: readonly string[], { target = "/v1/rooms", token = hub.token("box1") } = {}) {
  const hasHost = headers.some((header) => /^host:/i.test(header));
  const hasToken = headers.some((header) => /^authorization:/i.test(header));
  const all = [
    ...(hasHost ? [] : ["Host: localhost"]),
    ...(hasToken ? [] : [`Authorization: Bearer ${token}`]),
    ...headers,
  ];
  const { status, body } = await sendRaw(hub, requestText("GET", target, all));
  return { status, code: codeIn(body) };
}

onEachStore("the gate", (start) => {
  it("answers for its own names only", async () => {
    await using hub = await start({ CREWROOM_ALLOWED_HOSTS: "hub.lan:*", CREWROOM_PUBLIC_URL: "https://hub.example" });

    for (const host of ["localhost:1", "127.0.0.1", "[::1]:5", "hub.lan", "hub.lan:9", "hub.example", "HUB.EXAMPLE."]) {
      expect(await ask(hub, [`Host: ${host}`]), host).toEqual({ status: 200, code: "none" });
    }
    for (const host of ["evil.example", "localhost.evil.example", "hub.example.evil"]) {
      expect(await ask(hub, [`Host: ${host}`]), host).toEqual({ status: 421, code: "host_not_allowed" });
    }
    for (const headers of [["Host: a b"], ["Host:"], ["Host: localhost", "Host: localhost"]]) {
      expect(await ask(hub, headers), headers.join()).toEqual({ status: 400, code: "bad_input" });
    }
    expect(
      (await sendRaw(hub, `GET /v1/rooms HTTP/1.1\r\nAuthorization: Bearer ${hub.token("box1")}\r\n\r\n`)).status,
    ).toBe(400);
    expect(
      (
        await sendRaw(
          hub,
          `GET /v1/rooms HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer ${hub.token("box1")}\r\n\r\n`,
        )
      ).status,
    ).toBe(400);
  });

  it("checks health without a name, by any version, and nothing else", async () => {
    await using hub = await start();

    for (const path of ["/health", "/healthz", "/readyz"]) {
      expect((await sendRaw(hub, `GET ${path} HTTP/1.0\r\n\r\n`)).status, path).toBe(200);
      expect((await sendRaw(hub, requestText("GET", path, ["Host: evil.example"]))).status, path).toBe(200);
    }
    expect((await sendRaw(hub, requestText("GET", "/", ["Host: evil.example"]))).status).toBe(421);
  });

  it("keeps foreign web origins out, with a right token too", async () => {
    await using hub = await start({ CREWROOM_ALLOWED_ORIGINS: "https://app.example" });

    for (const origin of ["null", "http://evil.example", "http://localhost:3000", "https://app.example.evil"]) {
      expect(await ask(hub, ["Host: localhost:8090", `Origin: ${origin}`]), origin).toEqual({
        status: 403,
        code: "origin_not_allowed",
      });
    }
    for (const origin of ["http://localhost:8090", "http://127.0.0.1:8090", "https://app.example"]) {
      expect(await ask(hub, ["Host: localhost:8090", `Origin: ${origin}`]), origin).toEqual({
        status: 200,
        code: "none",
      });
    }
  });

  it("takes a bearer token in the header and nowhere else", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    const token = hub.token("box1");
    const refused = { status: 401, code: "not_signed_in" };

    expect(await ask(hub, [`Authorization: bEaReR ${token}`])).toEqual({ status: 200, code: "none" });
    expect(await ask(hub, [`Authorization: Bearer   ${token}  `])).toEqual({ status: 200, code: "none" });
    for (const value of [
      "",
      "Bearer",
      `Basic ${token}`,
      token,
      `Bearer ${token} x`,
      `Bearer ${makeToken("agt")}`,
      `Bearer ${token.slice(0, -1)}0`,
      `Bearer ${"x".repeat(10_000)}`,
    ]) {
      expect(await ask(hub, [`Authorization: ${value}`]), value.slice(0, 40)).toEqual(refused);
    }
    for (const target of [`/v1/rooms?token=${token}`, `/v1/rooms?a=1&access_token=${token}`]) {
      expect(await ask(hub, [], { target })).toEqual(refused);
    }
    expect(await ask(hub, [`Authorization: Bearer ${token}`, `authorization: Bearer ${token}`])).toEqual({
      status: 400,
      code: "bad_input",
    });
  });

  it("says the same of every token that does not hold, and how to sign in", async () => {
    await using hub = await start();
    await hub.as("boss").call("revoke_token", { agent: "box3" });
    const answers = await Promise.all(
      [makeToken("agt"), hub.token("box3"), "crw_agt_x"].map(async (token) => {
        const answer = await fetch(`${hub.url}/v1/rooms`, { headers: { authorization: `Bearer ${token}` } });
        const { error } = (await answer.json()) as { error: object }; // our error shape
        return [answer.status, answer.headers.get("www-authenticate"), { ...error, trace: "" }];
      }),
    );

    expect(answers[0]?.slice(0, 2)).toEqual([
      401,
      expect.stringMatching(/^Bearer error="invalid_token", resource_metadata="/),
    ]);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it("counts no call that brings no credential: so every client begins", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "3", CREWROOM_CHAT_LOGIN: "off" });
    const statusOf = async (headers: Record<string, string> = {}) =>
      (await fetch(`${hub.url}/mcp`, { method: "POST", headers })).status;

    const bare = [];
    for (let count = 0; count < 6; count++) bare.push(await statusOf());
    const wrong = [];
    for (let count = 0; count < 4; count++) wrong.push(await statusOf({ authorization: "Bearer nonsense" }));

    expect(bare).toEqual(bare.map(() => 401));
    expect(wrong.at(-1)).toBe(429);
    expect(await statusOf()).toBe(401);
  });

  it("asks for a credential before it says which methods there are", async () => {
    await using hub = await start({ CREWROOM_CHAT_LOGIN: "off" });
    const statusOf = async (method: string, path: string, headers: Record<string, string>) =>
      (await fetch(hub.url + path, { method, headers })).status;

    for (const path of ["/mcp", "/v1/rooms", "/api/list_rooms"]) {
      expect(await statusOf("PATCH", path, {}), path).toBe(401);
      expect(await statusOf("PATCH", path, { authorization: `Bearer ${hub.token("box1")}` }), path).toBe(405);
    }
    expect(await statusOf("GET", "/mcp", {})).toBe(401);
  });

  it("throttles an address after its failures and never a right token", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "20", CREWROOM_TRUSTED_PROXIES: "127.0.0.1" });
    const statuses: number[] = [];

    for (let round = 1; round <= 21; round++) {
      const wrong = await sendRaw(
        hub,
        requestText("GET", "/v1/rooms", [
          "Host: localhost",
          "Authorization: Bearer wrong",
          `X-Forwarded-For: ${round}.1.1.1, 198.51.100.1`,
        ]),
      );
      statuses.push(wrong.status);
      if (wrong.status === 429) expect(Number(wrong.headers.get("retry-after"))).toBeGreaterThan(0);
      const right = await ask(hub, ["X-Forwarded-For: 198.51.100.1"]);
      expect(right.status).toBe(200);
    }

    expect(statuses).toEqual([...Array<number>(19).fill(401), 429, 429]);
    const elsewhere = await sendRaw(
      hub,
      requestText("GET", "/v1/rooms", [
        "Host: localhost",
        "Authorization: Bearer wrong",
        "X-Forwarded-For: 198.51.100.2",
      ]),
    );
    expect(elsewhere.status).toBe(401);
  });

  it("believes no forwarded address of a peer it does not trust", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "3" });
    const statuses: number[] = [];
    for (let round = 1; round <= 4; round++)
      statuses.push((await ask(hub, ["Authorization: Bearer x", `X-Forwarded-For: ${round}.1.1.1`])).status);

    expect(statuses).toEqual([401, 401, 429, 429]);
  });

  it("takes the name of a session and refuses what is none", async () => {
    await using hub = await start();

    expect((await ask(hub, ["X-Crewroom-Session: a-b_c.d:1"])).status).toBe(200);
    expect((await ask(hub, [`X-Crewroom-Session: ${"x".repeat(128)}`])).status).toBe(200);
    for (const value of ["a b", "x".repeat(129), "é"])
      expect((await ask(hub, [`X-Crewroom-Session: ${value}`])).status, value).toBe(400);
  });

  it("keeps answers out of caches", async () => {
    await using hub = await start();
    const answer = await hub.as("box1").fetch("/v1/rooms");

    expect(
      Object.fromEntries(
        ["cache-control", "vary", "x-content-type-options"].map((name) => [name, answer.headers.get(name)]),
      ),
    ).toEqual({
      "cache-control": "no-store",
      vary: "Authorization",
      "x-content-type-options": "nosniff",
    });
  });

  it("hides the administrators' addresses from those who come through a proxy", async () => {
    await using hub = await start({ CREWROOM_PUBLIC_URL: "https://hub.example" });
    const boss = { token: hub.token("boss"), target: "/v1/admin/state" };

    expect((await ask(hub, [], boss)).status).toBe(200);
    expect((await ask(hub, [], { ...boss, token: hub.token("chief") })).status).toBe(403);
    for (const header of [
      "X-Forwarded-For: 1.1.1.1",
      "X-Real-IP: 1.1.1.1",
      "Forwarded: for=x",
      "CF-Ray: x",
      "Host: hub.example.",
    ]) {
      expect((await ask(hub, [header], boss)).status, header).toBe(404);
    }
  });
});
