import { expect, it } from "vitest";
import { makeNobody } from "../../testkit/actor.ts";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { connectWith } from "../../testkit/mcp-client.ts";
import { letIn, openVisit, registerClient, wayBackIn } from "../../testkit/oauth.ts";

const call = (hub: TestHub, token: string, operation: string, input: object = {}) =>
  fetch(`${hub.url}/api/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(input),
  });

onEachStore("the sign-in by browser", (start) => {
  it("lets a client in for the person who agreed, over MCP and REST", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);

    const answer = await client.signIn(await hub.browser("ann"));
    const { status, body, headers } = await client.exchange(answer.searchParams.get("code") ?? "");
    await using mcp = await connectWith(hub, body["access_token"]);

    expect(Object.fromEntries(answer.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: "a state",
      iss: hub.url,
    });
    expect(answer.href.split("?")[0]).toBe(client.redirect);
    expect([status, body]).toEqual([
      200,
      {
        token_type: "Bearer",
        expires_in: 3_600,
        scope: "hub:read hub:write",
        access_token: expect.stringMatching(/^crw_oat_[0-9A-Za-z]{36}$/),
        refresh_token: expect.stringMatching(/^crw_ort_[0-9A-Za-z]{36}$/),
      },
    ]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(await mcp.call("whoami", {})).toMatchObject({ user_id: "ann", org_id: "main" });
    const posted = await call(hub, body["access_token"], "post_message", { body: "by a client of ann's" });
    expect(posted.status).toBe(200);
    expect((await hub.as("box1").call("read_messages"))["messages"]).toEqual([
      expect.objectContaining({ author: "ann", body: "by a client of ann's" }),
    ]);
  });

  it("has who is not signed in sign in on the same page, then agree", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const visit = openVisit(hub.url, makeNobody(hub.url));

    const first = await visit.get(`/oauth/authorize?${client.request().toString()}`);
    const signedIn = { organization: "main", user: "ann", password: PASSWORD, next: first.path };
    const second = await visit.submit(first, "/login", signedIn);
    if (second instanceof URL) throw new Error("The page that asks is not there.");
    const answer = await visit.send(second, { decision: "allow", "hub:write": "yes" });

    expect([first.status, first.path]).toEqual([200, expect.stringMatching(/^\/oauth\/login\/[\w-]+$/)]);
    expect(first.text).toContain("Sign in to go on");
    expect(first.text).toContain("Test client");
    expect(first.text).not.toContain('value="allow"');
    expect([second.path, second.status]).toEqual([first.path, 200]);
    const { body } = await client.exchange(answer.searchParams.get("code") ?? "");
    expect((await call(hub, body["access_token"], "whoami")).status).toBe(200);
  });

  it("gives no more than was ticked: reading alone, and administering only to who administers and ticks it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const scope = "hub:read hub:write hub:admin";

    const granted = await Promise.all([
      letIn(hub, "ann", { tick: [] }),
      letIn(hub, "ann", { scope: "hub:read", tick: ["hub:write", "hub:admin"] }),
      letIn(hub, "ann", { scope, tick: ["hub:write", "hub:admin"] }),
      letIn(hub, "dora", { tick: ["hub:write", "hub:admin"] }),
      letIn(hub, "dora", { scope }),
      letIn(hub, "dora", { scope, tick: ["hub:write", "hub:admin"] }),
    ]);

    const told = await Promise.all(
      granted.map(async ({ scope: given, access }) => [
        given,
        (await call(hub, access, "list_rooms")).status,
        (await call(hub, access, "post_message", { body: "x" })).status,
        (await call(hub, access, "get_audit_log")).status,
      ]),
    );
    expect(told).toEqual([
      ["hub:read", 200, 403, 403],
      ["hub:read", 200, 403, 403],
      ["hub:read hub:write", 200, 200, 403],
      ["hub:read hub:write", 200, 200, 403],
      ["hub:read hub:write", 200, 200, 403],
      ["hub:read hub:write hub:admin", 200, 200, 200],
    ]);
  });

  it("understands what clients ask besides: nothing, others' scopes, a resource with a slash or by another loopback name", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const browser = await hub.browser("ann");
    const localhost = hub.url.replace("127.0.0.1", "localhost");

    for (const given of [
      {},
      { scope: "openid offline_access profile" },
      { scope: "hub:write offline_access" },
      { resource: "" },
      { resource: `${hub.url}/mcp/` },
      { resource: `${hub.url}/` },
      { resource: hub.url },
      { resource: `${localhost}/mcp` },
    ]) {
      const answer = await client.signIn(browser, given);
      const code = answer.searchParams.get("code") ?? "";
      const { status, body } = await client.exchange(code, given.resource ? { resource: given.resource } : {});
      expect([status, body["scope"]], JSON.stringify(given)).toEqual([200, "hub:read hub:write"]);
    }
  });

  it("grants access to this hub and to nothing else", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const browser = await hub.browser("ann");

    for (const resource of [
      "https://other.example/mcp",
      `${hub.url}/admin`,
      `${hub.url}/mcp#x`,
      "mcp",
      "http://localhost:1/mcp",
    ]) {
      const page = await openVisit(hub.url, browser).get(`/oauth/authorize?${client.request({ resource }).toString()}`);
      expect([page.status, wayBackIn(page)?.searchParams.get("error")], resource).toEqual([400, "invalid_target"]);
    }
    const answer = await client.signIn(browser);
    const { status, body } = await client.exchange(answer.searchParams.get("code") ?? "", {
      resource: "https://other.example/mcp",
    });
    expect([status, body["error"]]).toEqual([400, "invalid_target"]);
  });

  it("takes a no for an answer, and gives a person who is gone nothing", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);

    const denied = await client.signIn(await hub.browser("ann"), { deny: true });
    const answer = await client.signIn(await hub.browser("ben"));
    const before = await letIn(hub, "ben");
    await hub.as("dora").call("deactivate_member", { user_id: "ben" });
    const exchanged = await client.exchange(answer.searchParams.get("code") ?? "");
    const refreshed = await before.client.refresh(before.refresh);
    const called = await call(hub, before.access, "list_rooms");

    expect(Object.fromEntries(denied.searchParams)).toEqual({
      error: "access_denied",
      error_description: expect.stringMatching(/^The person did not let this client in\./),
      state: "a state",
      iss: hub.url,
    });
    expect([exchanged.status, exchanged.body["error"]]).toEqual([400, "invalid_grant"]);
    expect([refreshed.status, refreshed.body["error"]]).toEqual([400, "invalid_grant"]);
    expect(called.status).toBe(401);
  });

  it("is a sign-in like any other: listed, audited, and ended for access and refresh at once", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { client, access, refresh } = await letIn(hub, "ann");

    const { sessions } = await hub.as("ann").call("list_sessions");
    const grant = sessions.find((session: { kind: string }) => session.kind === "client");
    expect(grant).toMatchObject({ label: "Test client", current: false });
    expect((await call(hub, access, "list_rooms")).status).toBe(200);
    await hub.as("ann").call("revoke_session", { session_id: grant.session_id });

    expect((await call(hub, access, "list_rooms")).status).toBe(401);
    expect(await client.refresh(refresh)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    const events = await hub.eventsOf(null);
    const told = events.filter(({ kind }) => kind === "signed_in" || kind === "signed_out");
    expect(told.map(({ kind, actor }) => [kind, actor])).toEqual([
      ["signed_in", "ann"],
      ["signed_out", "ann"],
    ]);
    expect(told[0]?.detail).toContain("Test client");
  });

  it("lets a client end its own sign-in, by either token, and nobody else's", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const byAccess = await letIn(hub, "ann");
    const byRefresh = await letIn(hub, "ann");
    const other = await letIn(hub, "ann");

    const foreign = await byAccess.client.revoke(other.refresh);
    const unknown = await byAccess.client.revoke("crw_ort_000000000000000000000000000000000000");
    const own = [await byAccess.client.revoke(byAccess.access), await byRefresh.client.revoke(byRefresh.refresh)];

    expect([foreign, unknown, ...own].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const left = await Promise.all(
      [byAccess, byRefresh, other].map(async ({ client, access, refresh }) => [
        (await call(hub, access, "list_rooms")).status,
        (await client.refresh(refresh)).status,
      ]),
    );
    expect(left).toEqual([
      [401, 400],
      [401, 400],
      [200, 200],
    ]);
  });

  it("takes a client's token as a bearer and as nothing else", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { access, refresh } = await letIn(hub, "ann");

    expect((await call(hub, refresh, "list_rooms")).status).toBe(401);
    expect((await openVisit(hub.url, { token: access }).get("/approve")).path).toMatch(/^\/login/);
    hub.later({ seconds: 3_599 });
    expect((await call(hub, access, "list_rooms")).status).toBe(200);
    hub.later({ seconds: 2 });
    expect((await call(hub, access, "list_rooms")).status).toBe(401);
  });
});
