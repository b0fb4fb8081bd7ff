import { expect, test } from "vitest";
import type { Value } from "../src/testkit/actor.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";
import { connectWith, type Era, type McpActor } from "../src/testkit/mcp-client.ts";
import { makeVisitor } from "../src/testkit/page-visitor.ts";

const ADMIN_PASSWORD = "choose-a-long-admin-password";
const ANSWER = "The retry logic uses three attempts with exponential backoff.";

/** Ctalk's own story, word for word: an organization, two users, their sign-ins. */
async function signUp(guest: McpActor) {
  const org = { org_id: "ai-company", admin_password: ADMIN_PASSWORD };
  await guest.call("register_organization", { ...org, name: "The AI Company" });
  const people: readonly (readonly [string, string, string[]])[] = [
    ["umar", "Umar", ["platform tooling"]],
    ["john", "John", ["alpha-repo", "payments-service"]],
  ];
  const tokens: string[] = [];
  for (const [user_id, name, ownership] of people) {
    const password = `a password of ${user_id}`;
    await guest.call("register_user", { ...org, user_id, password, name, ownership });
    tokens.push((await guest.call("login", { org_id: "ai-company", user_id, password }))["auth_token"]);
  }
  const [umar = "", john = ""] = tokens;
  return { umar, john };
}

async function askAndDraft(guest: McpActor, { umar, john }: { umar: string; john: string }): Promise<number> {
  const asked = await guest.call("ask_person", {
    auth_token: umar,
    to_user_id: "john",
    question: "What is the retry logic in alpha-repo?",
  });
  const inbox = await guest.call("check_inbox", { auth_token: john });
  expect(inbox["pending"]).toMatchObject([
    { id: asked["message_id"], from_profile: { user_id: "umar", name: "Umar" } },
  ]);
  await guest.call("propose_response", { auth_token: john, message_id: asked["message_id"], draft_text: ANSWER });
  return asked["message_id"];
}

async function repliesTo(guest: McpActor, auth_token: string): Promise<Value[]> {
  return (await guest.call("check_replies", { auth_token, since: "1970-01-01T00:00:00+00:00" }))["replies"] as Value[]; // the operation's own answer
}

onEachStore("signing in within the conversation", (start) => {
  test.each<Era>(["modern", "legacy"])(
    "asks and answers through an unmodified client, with one press on the page, %s era",
    async (era) => {
      await using hub = await start();
      await using guest = await connectWith(hub, undefined, era);
      const tokens = await signUp(guest);
      const message_id = await askAndDraft(guest, tokens);

      const sent = await guest.call("send_response", { auth_token: tokens.john, message_id, final_text: ANSWER });
      const before = await repliesTo(guest, tokens.umar);
      await approveAsJohn(hub, String(sent["approve_url"]));
      const after = await repliesTo(guest, tokens.umar);

      expect(sent).toMatchObject({ sent: false, state: "awaiting_approval" });
      expect(before).toEqual([]);
      expect(after).toMatchObject([{ final_response: ANSWER, assurance: "confirmed", approved_by: "john" }]);
    },
  );

  test("takes the thirteen calls alone where the organization asks for no more than the agent's word", async () => {
    await using hub = await start();
    await using guest = await connectWith(hub, undefined);
    const tokens = await signUp(guest);
    await askForNoMore(hub);
    const message_id = await askAndDraft(guest, tokens);

    const sent = await guest.call("send_response", { auth_token: tokens.john, message_id, final_text: ANSWER });
    const rest = [
      await guest.call("whoami", { auth_token: tokens.umar }),
      await guest.call("list_users", { auth_token: tokens.umar }),
      await guest.call("get_user_profile", { auth_token: tokens.umar, user_id: "john" }),
      await guest.call("update_my_notes", { auth_token: tokens.umar, notes: "Best in the morning." }),
      await guest.call("update_user_profile_notes", {
        org_id: "ai-company",
        admin_password: "one that the founder chose",
        user_id: "john",
        profile_notes: "On leave in May.",
      }),
    ];

    expect(sent).toMatchObject({ sent: true, assurance: "asserted" });
    expect(await repliesTo(guest, tokens.umar)).toMatchObject([{ final_response: ANSWER }]);
    expect(rest[1]?.["users"].map((user: Value) => user["user_id"])).toEqual(["admin", "john", "umar"]);
    expect(JSON.stringify(rest.slice(0, 4))).not.toContain("On leave");
  });

  test("offers the people's tools with auth_token, and nothing of rooms; each says what is missing", async () => {
    await using hub = await start();
    await using guest = await connectWith(hub, undefined);
    const { tools } = await guest.client.listTools();
    const names = tools.map(({ name }) => name);

    expect(names).toEqual(
      expect.arrayContaining(["register_organization", "register_user", "login", "whoami", "ask_person"]),
    );
    expect(names).not.toContain("post_message");
    expect(names).not.toContain("approve_answer");
    for (const { name, inputSchema } of tools) {
      const open = ["register_organization", "register_user", "login", "update_user_profile_notes"].includes(name);
      expect("auth_token" in (inputSchema.properties ?? {}), name).toBe(!open);
    }
    expect(await guest.text("whoami", { auth_token: "crw_usr_nonsense" })).toMatch(/^not_signed_in: /);
    await expect(guest.call("whoami", {})).rejects.toThrow();
  });

  test("sends a call that needs an identity and has none to the browser's sign-in", async () => {
    await using hub = await start();
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "check_inbox", arguments: {} } };

    const answer = await fetch(`${hub.url}/mcp`, { method: "POST", headers, body: JSON.stringify(body) });

    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toContain("resource_metadata=");
  });

  test.each([
    ["through a proxy", { "x-forwarded-for": "203.0.113.9" }, {}],
    ["through a tunnel", { "cf-connecting-ip": "203.0.113.9" }, {}],
    ["when it is turned off", {}, { CREWROOM_CHAT_LOGIN: "off" }],
    ["for a hub with a public address", {}, { CREWROOM_PUBLIC_URL: "https://crew.example" }],
  ])("is not there %s", async (_, headers, settings) => {
    await using hub = await start(settings);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const sent = { "content-type": "application/json", ...(headers as Record<string, string>) };

    const listed = await fetch(`${hub.url}/mcp`, { method: "POST", headers: sent, body });
    const registered = await fetch(`${hub.url}/api/register_organization`, {
      method: "POST",
      headers: sent,
      body: JSON.stringify({ org_id: "acme", name: "Acme", admin_password: ADMIN_PASSWORD }),
    });

    expect(listed.status).toBe(401);
    expect(registered.status).toBe("CREWROOM_CHAT_LOGIN" in settings ? 200 : 403);
  });
});

/** john opens the link in a browser, signs in, chooses a password that no tool has seen, and presses the one button. */
async function approveAsJohn(hub: TestHub, url: string) {
  const browser = makeVisitor(hub);
  const path = new URL(url).pathname;
  await browser.open(path);
  await browser.submit("/login", { organization: "ai-company", user: "john", password: "a password of john" });
  await browser.open(`/password?next=${encodeURIComponent(path)}`);
  await browser.submit("/password", {
    password: "a password of john",
    new_password: "one that john chose",
    again: "one that john chose",
  });
  await browser.submit(path);
}

async function askForNoMore(hub: TestHub) {
  const browser = makeVisitor(hub);
  await browser.open("/login");
  await browser.submit("/login", { organization: "ai-company", user: "admin", password: ADMIN_PASSWORD });
  await browser.open("/password");
  const new_password = "one that the founder chose";
  await browser.submit("/password", { password: ADMIN_PASSWORD, new_password, again: new_password });
  const headers = {
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    origin: hub.url.replace("127.0.0.1", "localhost"),
    host: new URL(hub.url).host.replace("127.0.0.1", "localhost"),
    "sec-fetch-site": "same-origin",
    "content-type": "application/json",
  };
  const answer = await fetch(`${hub.url}/api/set_policy`, {
    method: "POST",
    headers,
    body: JSON.stringify({ minimum_assurance: "asserted" }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}
