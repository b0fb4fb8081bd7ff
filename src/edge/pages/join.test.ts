import { expect, it } from "vitest";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { makeVisitor, visitAs } from "../../testkit/page-visitor.ts";

const NEW = "a new horse battery";
const CHOSEN = { new_password: NEW, again: NEW };

async function invite(hub: TestHub, input: Record<string, unknown>): Promise<string> {
  const dora = await hub.browser("dora");
  const { link } = await dora.call("invite_person", input);
  return new URL(String(link)).pathname;
}

onEachStore("the page of an invitation", (start) => {
  it("makes whoever has the link a person, signed in, and shows how to connect", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const path = await invite(hub, { name: "Eve <b>", question: "Which invoices are open?" });
    const eve = makeVisitor(hub);

    const shown = await eve.open(path);
    const joined = await eve.submit(path, { user: "eve", name: "Eve Li", ...CHOSEN });
    const waiting = await eve.open("/approve");

    expect(shown.text).toContain("dora invites you to the organization main. A question to you comes along.");
    expect(shown.forms.get(path)).toMatchObject({ name: "Eve <b>" });
    expect([joined.status, joined.path]).toEqual([200, "/connect"]);
    expect(joined.text).toContain(`claude mcp add --transport http crewroom ${hub.url}/mcp`);
    expect(waiting.text).toContain("Which invoices are open? from dora");
    expect(await hub.as("dora").call("get_user_profile", { user_id: "eve" })).toMatchObject({
      profile: { name: "Eve Li", role: "member" },
    });
  });

  it("works once, and every link that does not work says the same", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const used = await invite(hub, { user_id: "eve" });
    const late = await invite(hub, { user_id: "fay", expires: "1h" });
    const eve = makeVisitor(hub);
    await eve.open(used);
    await eve.submit(used, CHOSEN);
    const kept = await invite(hub, { user_id: "gil" });
    hub.later({ hours: 2 });
    const told = async (path: string) => {
      const { status, text } = await makeVisitor(hub).open(path);
      return [status, text.replace(/Trace \S+/, "")];
    };

    const answers = [];
    for (const path of [used, late, `${used.slice(0, -1)}x`, "/join/x", `/join/${"x".repeat(500)}`])
      answers.push(await told(path));

    expect(answers[0]).toEqual([410, expect.stringContaining("This link does not work")]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect((await told(kept))[0]).toBe(200);
  });

  it("shows the form again for what can be mended, with what was typed but the password", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const path = await invite(hub, { role: "admin" });
    const eve = makeVisitor(hub);
    const typed = { user: "eve", name: "Eve Li" };
    const send = async (fields: Record<string, string>) => {
      await eve.open(path);
      return eve.submit(path, { ...typed, ...fields });
    };

    const differing = await send({ new_password: NEW, again: `${NEW} ` });
    const short = await send({ new_password: "elevenchars", again: "elevenchars" });
    const reserved = await send({ ...CHOSEN, user: "system" });
    const taken = await send({ ...CHOSEN, user: "ann" });
    const good = await send(CHOSEN);

    expect([differing.status, short.status, reserved.status, taken.status, good.path]).toEqual([
      400,
      400,
      400,
      409,
      "/connect",
    ]);
    expect(differing.text).toContain("The passwords: are not the same");
    expect(short.text).toContain("at least 12 characters");
    expect(differing.forms.get(path)).toMatchObject({ user: "eve", name: "Eve Li", new_password: "", again: "" });
  });

  it("lets a person choose a new password, which signs out everywhere else", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const elsewhere = await visitAs(hub, "ann");
    const { link } = await hub.browser("dora").then((dora) => dora.call("reset_password", { user_id: "ann" }));
    const path = new URL(String(link)).pathname;
    const ann = makeVisitor(hub);

    const shown = await ann.open(path);
    const done = await ann.submit(path, CHOSEN);

    expect(shown.text).toContain("Choose a new password For ann in Main.");
    expect(done.path).toBe("/ui");
    expect((await elsewhere.open("/approve")).path).toBe("/login?next=%2Fapprove");
    const login = (password: string) => hub.as("cleo").try("login", { org_id: "main", user_id: "ann", password });
    expect([(await login(PASSWORD)).ok, (await login(NEW)).ok]).toEqual([false, true]);
  });
});
