import { expect, it } from "vitest";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { makeVisitor, type PageVisitor } from "../../testkit/page-visitor.ts";

const ANN = { organization: "main", user: "ann", password: PASSWORD };

async function signIn(visitor: PageVisitor, fields: Readonly<Record<string, string>> = ANN) {
  await visitor.open("/login");
  return visitor.submit("/login", fields);
}

/** What came back, but for what was typed and what is different in every browser. */
const besidesTyped = ({ status, html }: { status: number; html: string }) => [
  status,
  html.replace(/value="[^"]*"/g, "").replace(" autofocus", ""),
];

onEachStore("the sign-in page", (start) => {
  it("signs a person in and goes on to where it wanted to go", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const visitor = makeVisitor(hub);

    const asked = await visitor.open("/approve?after=3");
    const home = await visitor.submit("/login", ANN);

    expect([asked.status, asked.path]).toEqual([200, "/login?next=%2Fapprove%3Fafter%3D3"]);
    expect([home.status, home.path]).toEqual([200, "/approve?after=3"]);
    expect(home.text).toContain("ann in main");
    expect((await visitor.open("/login")).path).toBe("/ui");
  });

  it("gives one answer to every wrong sign-in", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    await hub.seatPeople();
    const wrong = [
      { ...ANN, password: "not it" },
      { ...ANN, password: "" },
      { ...ANN, user: "nobody" },
      { ...ANN, user: "box1" },
      { ...ANN, user: "no handle at all" },
      { ...ANN, user: "ann\0" },
      { ...ANN, organization: "nowhere" },
      { ...ANN, organization: "other" },
      { ...ANN, organization: "x".repeat(5_000) },
      { organization: "", user: "", password: "" },
    ];

    const answers = [];
    for (const fields of wrong) answers.push(besidesTyped(await signIn(makeVisitor(hub), fields)));

    expect(answers[0]?.[0]).toBe(401);
    expect(answers[0]?.[1]).toContain("do not go together");
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("goes on only to addresses of this hub", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const visitor = makeVisitor(hub);

    await visitor.open("/login?next=//evil.example/x");
    const asked = await visitor.submit("/login", ANN);
    const forged = await signIn(makeVisitor(hub), { ...ANN, next: "https://evil.example" });

    expect([asked.path, forged.path]).toEqual(["/ui", "/ui"]);
  });

  it("takes no token for a sign-in: pages know their own cookie alone", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const asked = await hub.as("ann").fetch("/approve", { redirect: "manual" });
    const there = await fetch(`${hub.url.replace("127.0.0.1", "localhost")}/approve`, {
      redirect: "manual",
      headers: { authorization: `Bearer ${hub.token("ann")}` },
    });

    expect([asked.status, asked.headers.get("location")]).toEqual([
      307,
      expect.stringMatching(/localhost:\d+\/approve$/),
    ]);
    expect([there.status, there.headers.get("location")]).toEqual([303, "/login?next=%2Fapprove"]);
  });

  it("ends the session when signing out, not only the cookie", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const visitor = makeVisitor(hub);
    await signIn(visitor);
    const kept = Object.fromEntries(visitor.cookies);

    await visitor.open("/approve");
    const after = await visitor.submit("/logout");
    const withOldCookie = await makeVisitor(hub, { cookies: kept }).open("/approve");

    expect(after.path).toBe("/login");
    expect([...visitor.cookies.keys()]).toEqual(["crewroom_device"]);
    expect(withOldCookie.path).toBe("/login?next=%2Fapprove");
  });

  it("lets the owner in from a known browser while strangers have used up their attempts", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "3" });
    await hub.seatPeople();
    const [owner, stranger, forger] = [makeVisitor(hub), makeVisitor(hub), makeVisitor(hub)];
    await signIn(owner);
    await owner.open("/approve");
    await owner.submit("/logout");
    forger.cookies.set("crewroom_device", `${"A".repeat(22)}.${"B".repeat(22)}`);

    for (let attempt = 0; attempt < 3; attempt++) await signIn(stranger, { ...ANN, password: "guess" });
    const refused = await signIn(stranger);
    const forged = await signIn(forger);
    const let_in = await signIn(owner);

    expect([refused.status, forged.status, let_in.path]).toEqual([429, 429, "/ui"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.forms.has("/login")).toBe(true);
  });

  it("gives the cookie that fits the way it came, and none where that is open to all", async () => {
    await using hub = await start({ CREWROOM_PUBLIC_URL: "https://hub.example", CREWROOM_CONSOLE: "on" });
    await hub.seatPeople();

    const over = async (origin: string) => {
      const visitor = makeVisitor(hub, { origin, follows: false });
      const answer = await signIn(visitor);
      return { status: answer.status, text: answer.text, cookies: answer.headers.getSetCookie() };
    };

    const secure = await over("https://hub.example");
    const open = await over("http://hub.example");
    const here = await over("http://localhost");

    expect(secure.cookies).toEqual([
      expect.stringMatching(/^__Host-crewroom=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(/^__Host-crewroom_device=\S+; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    expect(here.cookies[0]).toMatch(/^crewroom=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    expect([open.status, open.cookies]).toEqual([403, []]);
    expect(open.text).toContain("CREWROOM_PUBLIC_URL");
  });
});
