import { expect, it } from "vitest";
import { makeActor } from "../../testkit/actor.ts";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { makeVisitor, visitAs } from "../../testkit/page-visitor.ts";
import { askAndSend, repliesOf } from "../../testkit/questions.ts";

const NEW = "a new horse battery";

onEachStore("the page of a password", (start) => {
  it("lets a password that passed through a tool be replaced, after which a press counts as confirmed", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("cleo").call("login", { org_id: "main", user_id: "ben", password: PASSWORD });
    const { approval_id } = await askAndSend(hub);
    const ben = await visitAs(hub, "ben");

    const exposed = await ben.open(`/approve/${approval_id}`);
    const form = await ben.open(/href="(\/password\?next=[^"]+)"/.exec(exposed.html)?.[1] ?? "");
    const back = await ben.submit("/password", { password: PASSWORD, new_password: NEW, again: NEW });
    await ben.submit(`/approve/${approval_id}`);

    expect(exposed.html).not.toContain(">Approve and send<");
    expect(form.path).toBe(`/password?next=%2Fapprove%2F${approval_id}`);
    expect(back.path).toBe(`/approve/${approval_id}`);
    expect(await repliesOf(hub)).toMatchObject([{ assurance: "confirmed", approved_by: "ben" }]);
  });

  it("lets no agent that knows a password make its presses count on a hub that others reach, until there is a link", async () => {
    await using hub = await start({ CREWROOM_TRUSTED_PROXIES: "127.0.0.1" });
    await hub.seatPeople();
    await hub.as("cleo").call("login", { org_id: "main", user_id: "ben", password: PASSWORD });
    const { approval_id } = await askAndSend(hub);
    const agent = makeVisitor(hub);

    await agent.open("/login?next=%2Fpassword");
    const warned = await agent.submit("/login", { organization: "main", user: "ben", password: PASSWORD });
    const chosen = await agent.submit("/password", { password: PASSWORD, new_password: NEW, again: NEW });
    const waiting = await agent.open(`/approve/${approval_id}`);
    await agent.post(
      `/approve/${approval_id}`,
      new URLSearchParams(waiting.forms.get(`/approve/${approval_id}`)).toString(),
    );

    expect(warned.text).toContain("counts no more");
    expect([chosen.path, chosen.text]).toEqual(["/password?done=exposed", expect.stringContaining("for a link")]);
    expect(waiting.html).not.toContain(">Approve and send<");
    expect(await repliesOf(hub)).toEqual([]);

    const { link } = await (await hub.browser("dora")).call("reset_password", { user_id: "ben" });
    const ben = makeVisitor(hub);
    const { pathname, search } = new URL(String(link));
    const joining = await ben.open(`${pathname}${search}`);
    await ben.submit([...joining.forms.keys()][0] ?? "", {
      new_password: "one of ben's own",
      again: "one of ben's own",
    });
    await ben.open(`/approve/${approval_id}`);
    await ben.submit(`/approve/${approval_id}`);

    expect(await repliesOf(hub)).toMatchObject([{ assurance: "confirmed", approved_by: "ben" }]);
  });

  it("ends every other sign-in of the person, and this one stays", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const [here, elsewhere] = [await visitAs(hub, "ben"), await visitAs(hub, "ben")];
    await here.open("/password");

    const done = await here.submit("/password", { password: PASSWORD, new_password: NEW, again: NEW });

    expect([done.path, done.text]).toEqual(["/password?done=", expect.stringContaining("Your new password holds.")]);
    expect((await elsewhere.open("/approve")).path).toBe("/login?next=%2Fapprove");
    expect((await hub.as("ben").try("whoami")).ok).toBe(false);
    expect((await hub.as("benbot").try("whoami")).ok).toBe(true);
  });

  it("changes nothing for a wrong present password, a short one, or two that differ", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = await visitAs(hub, "ben");
    const send = async (password: string, new_password: string, again = new_password) => {
      await ben.open("/password");
      const { status, text } = await ben.submit("/password", { password, new_password, again });
      return [status, text] as const;
    };

    const wrong = await send("not it", NEW);
    const short = await send(PASSWORD, "short");
    const differing = await send(PASSWORD, NEW, `${NEW} `);
    const same = await send(PASSWORD, PASSWORD);

    expect([wrong[0], short[0], differing[0], same[0]]).toEqual([401, 400, 400, 400]);
    expect(wrong[1]).toContain("That is not your present password.");
    const visitor = makeVisitor(hub);
    await visitor.open("/login");
    expect((await visitor.submit("/login", { organization: "main", user: "ben", password: PASSWORD })).path).toBe(
      "/ui",
    );
  });
});

onEachStore("the page of sign-ins", (start) => {
  it("lists where a person is signed in, and ends one that is not wanted", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const visitor = makeVisitor(hub);
    await visitor.open("/login");
    await visitor.submit("/login", { organization: "main", user: "ben", password: PASSWORD });
    const other = await visitAs(hub, "ben");
    await other.open("/approve");

    const listed = await visitor.open("/sessions");
    const row = listed.html.split("<li>").find((one) => one.includes("Browser") && !one.includes("this one")) ?? "";
    const session_id = /name="session_id" value="([^"]+)"/.exec(row)?.[1] ?? "";
    const after = await visitor.submit("/sessions", { session_id });

    expect(listed.text).toContain("Browser: Firefox on Linux (this one)");
    expect(listed.text).toContain("Token from login");
    expect(after.html).not.toContain(session_id);
    expect((await other.open("/approve")).path).toBe("/login?next=%2Fapprove");
  });

  it("lists the tokens of a person's agents, which a sign-out leaves, and ends one that is not wanted", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const made = await hub.as("ben").call("create_token", { agent: "shadow", room: "lobby" });
    await hub.as("ben").call("logout");
    const shadow = makeActor(hub.url, "shadow", String(made["token"]));
    const visitor = await visitAs(hub, "ben");

    const listed = await visitor.open("/sessions");
    const row = listed.html.split("<li>").find((one) => one.includes("shadow")) ?? "";
    const before = await shadow.try("whoami");
    const after = await visitor.submit("/sessions/agents", {
      token_id: /name="token_id" value="([^"]+)"/.exec(row)?.[1] ?? "",
    });

    expect(listed.text).toContain("benbot");
    expect(listed.text).not.toContain("annbot");
    expect(after.text).not.toContain("shadow");
    expect([before.ok, (await shadow.try("whoami")).ok]).toEqual([true, false]);
  });

  it("ends nobody else's sign-in", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ann = await visitAs(hub, "ann");
    const mine = (await hub.as("ann").call("list_sessions"))["sessions"] as { session_id: string }[]; // of the operation
    const ben = await visitAs(hub, "ben");
    await ben.open("/sessions");

    const refused = await ben.submit("/sessions", { session_id: mine[0]?.session_id ?? "" });

    expect(refused.status).toBe(404);
    expect((await ann.open("/approve")).path).toBe("/approve");
  });
});
