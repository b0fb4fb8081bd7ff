import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { makeVisitor, type PageVisitor, visitAs } from "../../testkit/page-visitor.ts";
import { askAndSend } from "../../testkit/questions.ts";

/** Every form of the pages, as somebody would fill it in who wants to do harm with it. */
async function harmfulForms(hub: TestHub) {
  const { approval_id } = await askAndSend(hub);
  const shown = await hub.browser("ben").then((ben) => ben.call("show_approval", { approval_id }));
  const link = (await hub.as("boss").call("invite_person", { user_id: "eve" }))["link"] as string; // shown this once
  return new Map<string, Record<string, string>>([
    ["/login", { organization: "main", user: "ben", password: "correct horse battery" }],
    ["/logout", {}],
    [new URL(link).pathname, { new_password: "another horse battery", again: "another horse battery" }],
    [
      "/password",
      { password: "correct horse battery", new_password: "mine now, all of it", again: "mine now, all of it" },
    ],
    ["/sessions", { session_id: "x" }],
    [`/approve/${approval_id}`, { share: `${shown["hash"]} no` }],
    [`/approve/${approval_id}/reject`, {}],
    ["/passkeys", { label: "x", password: "correct horse battery", passkey: "{}" }],
    ["/passkeys/remove", { passkey_id: "x" }],
  ]);
}

const send = (visitor: PageVisitor, path: string, fields: Record<string, string>, headers = {}) =>
  visitor.post(path, new URLSearchParams(fields).toString(), headers);

onEachStore("a form", (start) => {
  it("does nothing when it was made for another browser or another session, or for none", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const forms = await harmfulForms(hub);
    const ben = await visitAs(hub, "ben");
    const others = await visitAs(hub, "ann");
    const stranger = makeVisitor(hub);
    const tokens = [
      undefined,
      "",
      "x".repeat(43),
      (await others.open("/sessions")).forms.get("/logout")?.["form_token"],
      (await stranger.open("/login")).forms.get("/login")?.["form_token"],
    ];
    await ben.open("/sessions");
    const before = await hub.state();

    const statuses = [];
    for (const [path, fields] of forms)
      for (const token of tokens)
        statuses.push((await send(ben, path, { ...fields, ...(token !== undefined && { form_token: token }) })).status);

    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(await hub.state()).toBe(before);
  });

  it("does nothing when a page of another site sends it, though the token is right", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const forms = await harmfulForms(hub);
    const ben = await visitAs(hub, "ben");
    const form_token = (await ben.open("/sessions")).forms.get("/logout")?.["form_token"] ?? "";
    const before = await hub.state();

    const statuses = [];
    for (const [path, fields] of forms)
      for (const headers of [
        { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "none" },
        { origin: undefined, "sec-fetch-site": undefined },
      ])
        statuses.push((await send(ben, path, { ...fields, form_token }, headers)).status);

    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(await hub.state()).toBe(before);
  });

  it("is read strictly and bounded, and what is wrong is told on a page", async () => {
    await using hub = await start();
    const visitor = makeVisitor(hub);
    await visitor.open("/login");
    const post = async (body: string, headers = {}) => {
      const { status, headers: told, html } = await visitor.post("/login", body, headers);
      return [status, told.get("content-type"), html.includes("<h1>")];
    };
    const page = "text/html; charset=utf-8";

    expect([
      await post("user=a&user=b"),
      await post("user=%ff"),
      await post("{}", { "content-type": "application/json" }),
      await post("user=a", { "content-type": undefined }),
      await post("user=a", { "content-encoding": "gzip" }),
      await post(`user=${"x".repeat(70_000)}`),
    ]).toEqual([400, 400, 415, 415, 415, 413].map((status) => [status, page, true]));
  });
});

/** What every page says to the browser. */
const PROMISES = [
  [
    "content-security-policy",
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ["cache-control", "no-store"],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["x-frame-options", "DENY"],
] as const;

onEachStore("a page", (start) => {
  it("says to the browser that it is alone: no script, no frame, no other site, no copy", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const ben = await visitAs(hub, "ben");
    const paths = ["/approve", `/approve/${approval_id}`, "/sessions", "/password", "/nowhere"];

    const pages = [await makeVisitor(hub).open("/login")];
    for (const path of paths) pages.push(await ben.open(path));

    for (const { path, headers, html } of pages) {
      expect([path, ...PROMISES.map(([name]) => [name, headers.get(name)])]).toEqual([path, ...PROMISES]);
      expect(html).not.toMatch(/<script| style=| on\w+=|https?:\/\/(?!localhost|127\.)/);
    }
  });

  it.each([
    ["/passkeys", "/assets/passkeys.js"],
    ["/connect", "/assets/copy.js"],
  ])("runs at %s one script of ours, %s, and no other", async (path, file) => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await (await visitAs(hub, "ben")).open(path);
    const script = await fetch(hub.url + file);

    expect(page.headers.get("content-security-policy")).toContain("; script-src 'self';");
    expect(page.html.match(/<script[^>]*>/g)).toEqual([`<script type="module" src="${file}">`]);
    expect([script.status, script.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  });

  it("shares one stylesheet that browsers keep and ask about", async () => {
    await using hub = await start();
    const first = await fetch(`${hub.url}/assets/pages.css`);
    const etag = first.headers.get("etag") ?? "";
    const again = await fetch(`${hub.url}/assets/pages.css`, { headers: { "if-none-match": etag } });
    const other = await fetch(`${hub.url}/assets/pages.css`, { headers: { "if-none-match": '"another"' } });

    expect([first.status, first.headers.get("content-type"), etag]).toEqual([
      200,
      "text/css; charset=utf-8",
      expect.stringMatching(/^"[\w-]{27}"$/),
    ]);
    expect([again.status, await again.text(), other.status]).toEqual([304, "", 200]);
  });

  it("tells what goes wrong on a page, to browsers, and in JSON elsewhere", async () => {
    await using hub = await start();
    const visitor = makeVisitor(hub);
    const told = async (path: string, method = "GET") => {
      const { status, headers, text } = await (method === "GET" ? visitor.open(path) : visitor.post(path, ""));
      return [status, headers.get("content-type"), /Trace [\w-]+$/.test(text)];
    };
    const program = await fetch(`${hub.url}/nowhere`);

    expect([await told("/nowhere"), await told("/approve", "POST"), await told("/logout")]).toEqual(
      [404, 405, 405].map((status) => [status, "text/html; charset=utf-8", true]),
    );
    expect([program.status, program.headers.get("content-type")]).toEqual([404, "application/json"]);
  });

  it("is at home at localhost on this machine", async () => {
    await using hub = await start();
    const { port } = new URL(hub.url);
    const at = async (path: string) => {
      const answer = await fetch(hub.url + path, { redirect: "manual" });
      return [answer.status, answer.headers.get("location")];
    };

    expect(await at("/approve/apr_1?x=1")).toEqual([307, `http://localhost:${port}/approve/apr_1?x=1`]);
    expect(await at("/assets/pages.css")).toEqual([200, null]);
  });
});
