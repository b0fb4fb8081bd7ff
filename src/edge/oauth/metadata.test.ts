import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { letIn } from "../../testkit/oauth.ts";
import { requestText, sendRaw } from "../../testkit/wire.ts";

const RESOURCE = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";

const read = async (hub: TestHub, path: string, host: string) =>
  JSON.parse((await sendRaw(hub, requestText("GET", path, [`Host: ${host}`]))).body) as unknown;

async function challengeOf(hub: TestHub, path: string, init: RequestInit = {}) {
  const answer = await fetch(hub.url + path, init);
  return [answer.status, answer.headers.get("www-authenticate")];
}

onEachStore("what clients read before they sign in", (start) => {
  it("is built on the public address, whatever Host a request has", async () => {
    await using hub = await start({
      CREWROOM_PUBLIC_URL: "https://hub.example/",
      CREWROOM_ALLOWED_HOSTS: "crew.lan:*",
    });
    const server = {
      issuer: "https://hub.example",
      authorization_endpoint: "https://hub.example/oauth/authorize",
      token_endpoint: "https://hub.example/oauth/token",
      registration_endpoint: "https://hub.example/oauth/register",
      revocation_endpoint: "https://hub.example/oauth/revoke",
      scopes_supported: ["hub:read", "hub:write"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    };
    const resource = {
      resource: "https://hub.example/mcp",
      authorization_servers: ["https://hub.example"],
      scopes_supported: ["hub:read", "hub:write"],
      bearer_methods_supported: ["header"],
      resource_name: "Crewroom",
    };

    for (const host of ["hub.example", "localhost", "crew.lan:99"]) {
      for (const path of [RESOURCE, `${RESOURCE}/mcp`]) expect(await read(hub, path, host), host).toEqual(resource);
      for (const path of [SERVER, `${SERVER}/mcp`]) expect(await read(hub, path, host), host).toEqual(server);
      expect(await read(hub, "/.well-known/openid-configuration", host)).toMatchObject(server);
    }
  });

  it("calls a hub on loopback as its client does, and sends browsers to the name where people sign in", async () => {
    await using hub = await start();
    const { port } = new URL(hub.url);

    for (const name of ["127.0.0.1", "localhost", "[::1]"]) {
      expect(await read(hub, `${RESOURCE}/mcp`, `${name}:${port}`), name).toMatchObject({
        resource: `http://${name}:${port}/mcp`,
        authorization_servers: [hub.url],
      });
      expect(await read(hub, SERVER, `${name}:${port}`), name).toMatchObject({
        issuer: hub.url,
        authorization_endpoint: `http://localhost:${port}/oauth/authorize`,
        token_endpoint: `${hub.url}/oauth/token`,
      });
    }
  });

  it("says that documents are taken only where the hub is set to fetch them", async () => {
    await using hub = await start({ CREWROOM_OAUTH_CIMD: "on" });

    expect(await read(hub, SERVER, "localhost")).toMatchObject({ client_id_metadata_document_supported: true });
  });

  it("is where a refused call points to, with the scopes to ask for", async () => {
    await using hub = await start({ CREWROOM_CHAT_LOGIN: "off", CREWROOM_AUTH_FAIL_LIMIT: "0" });
    const where = `resource_metadata="${hub.url}${RESOURCE}/mcp", scope="hub:read hub:write"`;
    const bad = { headers: { authorization: "Bearer crw_agt_x" } };

    for (const [path, init] of [
      ["/mcp", { method: "POST" }],
      ["/mcp", {}],
      ["/api/list_rooms", { method: "POST" }],
      ["/v1/rooms", {}],
    ] as const) {
      expect(await challengeOf(hub, path, init), path).toEqual([401, `Bearer ${where}`]);
      expect(await challengeOf(hub, path, { ...init, ...bad }), path).toEqual([
        401,
        `Bearer error="invalid_token", ${where}`,
      ]);
    }
  });

  it("names all scopes that a client's call needs, where its person could give them", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const reader = await letIn(hub, "ann", { tick: [] });
    const admin = await letIn(hub, "dora", { tick: [] });
    const ask = (token: string, path: string, body: object) =>
      challengeOf(hub, path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const tool = (name: string) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } });
    const missing = (scope: string) => [
      403,
      `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${hub.url}${RESOURCE}/mcp"`,
    ];

    for (const path of ["/api/post_message", "/mcp"]) {
      const body = path === "/mcp" ? tool("post_message") : { body: "x" };
      expect(await ask(reader.access, path, body), path).toEqual(missing("hub:read hub:write"));
    }
    expect(await ask(admin.access, "/api/get_audit_log", {})).toEqual(missing("hub:read hub:write hub:admin"));
    expect(await ask(admin.access, "/mcp", tool("get_audit_log"))).toEqual(missing("hub:read hub:write hub:admin"));
    // What no scope would give is refused as ever.
    expect(await ask(reader.access, "/api/get_audit_log", {})).toEqual([403, null]);
    expect(await ask(hub.token("watcher"), "/api/post_message", { body: "x" })).toEqual([403, null]);
  });
});
