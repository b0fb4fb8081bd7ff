import { expect, it } from "vitest";
import { makeNobody } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { clientOf, openVisit, register, registerClient, wayBackIn } from "../../testkit/oauth.ts";

/** The page that asks a person of the cast about a client. */
async function ask(hub: TestHub, handle: string, metadata: object, redirect: string, scope?: string) {
  const { body } = await register(hub.url, metadata);
  const client = clientOf(hub.url, body["client_id"], redirect);
  const visit = openVisit(hub.url, await hub.browser(handle));
  const page = await visit.get(`/oauth/authorize?${client.request({ scope }).toString()}`);
  return { client, visit, page };
}

const shown = (text: string) => text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

onEachStore("the page that lets a client in", (start) => {
  it("says who asks, where it leads, for whom and for what, and can be framed by nobody", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const redirect = "http://localhost:5000/callback";

    const { page } = await ask(hub, "ann", { client_name: "Claude Code", redirect_uris: [redirect] }, redirect);

    const text = shown(page.text);
    for (const part of ["Let Claude Code in?", "For ann", "Organization main", "Answers to localhost:5000"])
      expect(text).toContain(part);
    expect(text).toContain("this hub cannot check it");
    expect(text).toContain("a program on this computer");
    expect(text).toContain("It can never approve");
    expect(page.text).toMatch(/name="hub:read" value="yes" checked disabled/);
    expect(page.text).toMatch(/name="hub:write" value="yes" checked>/);
    expect(page.text).not.toContain("hub:admin");
    expect(page.text).not.toContain("<script");
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self' http://localhost:5000; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    expect(page.headers.get("cache-control")).toBe("no-store");
  });

  it("offers to administer only to who administers, and unticked", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const redirect = "http://localhost:5000/callback";
    const scope = "hub:write hub:admin";
    const pageFor = async (handle: string, asked?: string) =>
      (await ask(hub, handle, { redirect_uris: [redirect] }, redirect, asked)).page.text;

    expect(await pageFor("dora", scope)).toMatch(/name="hub:admin" value="yes"> /);
    expect(await pageFor("dora")).not.toContain("hub:admin");
    expect(await pageFor("ann", scope)).not.toContain("hub:admin");
  });

  it("lets forms lead to the redirect alone, a site by its resolved name, an app by its scheme", async () => {
    await using hub = await start();
    await hub.seatPeople();

    for (const [redirect, host, source] of [
      ["https://app.example:8443/cb", "app.example:8443", "https://app.example:8443"],
      ["https://xn--pple-43d.example/cb", "xn--pple-43d.example", "https://xn--pple-43d.example"],
      ["cursor://anysphere.cursor-mcp/cb", "cursor://anysphere.cursor-mcp", "cursor:"],
    ] as const) {
      const { page } = await ask(hub, "ann", { redirect_uris: [redirect] }, redirect);
      expect(shown(page.text)).toContain(`Answers to ${host}`);
      expect(page.headers.get("content-security-policy")).toContain(`form-action 'self' ${source};`);
    }
  });

  it("shows a client's name as text, whatever is in it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const redirect = "http://localhost:5000/callback";
    const client_name = `<img src=x onerror=alert(1)>"'</dd><script>alert(2)</script>`;

    const { page } = await ask(hub, "ann", { client_name, redirect_uris: [redirect] }, redirect);

    expect(page.text).not.toMatch(/<img|<script/);
    expect(page.text).toContain("&#60;img src=x onerror=alert(1)&#62;");
  });

  it("takes a decision only from its own form, in the browser where the sign-in was begun", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const visit = openVisit(hub.url, await hub.browser("ann"));
    const page = await visit.get(`/oauth/authorize?${client.request().toString()}`);
    const allow = { decision: "allow", "hub:write": "yes" };
    const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      visit.follow(page.path, { method: "POST", body: new URLSearchParams(fields), headers });

    const withoutToken = await post(allow);
    const withWrongToken = await post({ ...allow, form_token: "x" });
    const fromElsewhere = await post(allow, { "sec-fetch-site": "cross-site" });
    const foreign = await post(allow, { origin: "https://evil.example" });
    for (const end of [withoutToken, withWrongToken, fromElsewhere, foreign])
      expect(end instanceof URL ? end.href : end.status).toBe(403);

    for (const handle of ["ann", "ben"]) {
      const stranger = await openVisit(hub.url, await hub.browser(handle)).get(page.path);
      expect([stranger.status, shown(stranger.text)]).toEqual([
        410,
        expect.stringContaining("begun in another browser"),
      ]);
    }
    const nobody = await openVisit(hub.url, makeNobody(hub.url)).get(page.path);
    expect(nobody.status).toBe(410);
    const end = await visit.send(page, allow);
    expect(end.searchParams.has("code")).toBe(true);
  });

  it("gives one sign-in for one decision, however often it is made, lasts ten minutes and is used up", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const begin = async () => {
      const visit = openVisit(hub.url, await hub.browser("ann"));
      return { visit, page: await visit.get(`/oauth/authorize?${client.request().toString()}`) };
    };
    const allow = { decision: "allow", "hub:write": "yes" };

    const twice = await begin();
    const ends = await Promise.all([
      twice.visit.submit(twice.page, twice.page.path, allow),
      twice.visit.submit(twice.page, twice.page.path, allow),
    ]);
    const codes = ends.flatMap((end) => (end instanceof URL ? (end.searchParams.get("code") ?? []) : []));
    const after = await twice.visit.get(twice.page.path);
    const late = await begin();
    hub.later({ minutes: 10, seconds: 1 });
    const tooLate = await late.visit.submit(late.page, late.page.path, allow);

    expect(codes.length).toBeGreaterThan(0);
    const { sessions } = await hub.as("ann").call("list_sessions");
    expect(sessions.filter(({ kind }: { kind: string }) => kind === "client")).toHaveLength(1);
    expect(after.status).toBe(410);
    expect(tooLate instanceof URL ? tooLate.href : tooLate.status).toBe(410);
  });

  it("lets who goes back decide otherwise, and leaves nothing of the first decision", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);
    const visit = openVisit(hub.url, await hub.browser("ann"));
    const page = await visit.get(`/oauth/authorize?${client.request().toString()}`);
    const clients = async () =>
      (await hub.as("ann").call("list_sessions"))["sessions"].filter(({ kind }: { kind: string }) => kind === "client");

    await visit.post(page, { decision: "allow", "hub:write": "yes" });
    const first = await clients();
    await visit.post(page, { decision: "allow" });
    const second = await clients();
    const end = await visit.send(page, { decision: "deny" });

    expect([first.length, second.length, (await clients()).length]).toEqual([1, 1, 0]);
    expect(first[0].session_id).not.toBe(second[0].session_id);
    expect(end.searchParams.get("error")).toBe("access_denied");
  });

  it("leads nobody anywhere before it was asked: not those who only ask quietly, and not an odd request", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const client = await registerClient(hub.url);

    for (const browser of [await hub.browser("ann"), makeNobody(hub.url)]) {
      const page = await openVisit(hub.url, browser).get(
        `/oauth/authorize?${client.request({ prompt: "none" }).toString()}`,
      );
      const back = wayBackIn(page);
      expect(page.status).toBe(400);
      expect(back?.href.split("?")[0]).toBe(client.redirect);
      expect(Object.fromEntries(back?.searchParams ?? [])).toEqual({
        error: "login_required",
        error_description: expect.stringMatching(/^The person has to sign in on the page\./),
        state: "a state",
        iss: hub.url,
      });
    }
  });

  it("writes down only so many sign-ins that one address begins", async () => {
    await using hub = await start();
    const client = await registerClient(hub.url);
    const target = `${hub.url}/oauth/authorize?${client.request().toString()}`.replace("127.0.0.1", "localhost");

    const answers = await Promise.all(Array.from({ length: 400 }, () => fetch(target, { redirect: "manual" })));

    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(303), count(429)]).toEqual([300, 100]);
  });
});
