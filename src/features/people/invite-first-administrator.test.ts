import { expect, it } from "vitest";
import { operatorCaller } from "../../access/operator.ts";
import { execute } from "../../core/execute.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { makeVisitor } from "../../testkit/page-visitor.ts";
import { inviteFirstAdministrator } from "./invite-first-administrator.ts";

/** What a start of the server does; gives the link's path. */
async function startAgain({ hub }: TestHub): Promise<string | null> {
  const caller = await operatorCaller(hub.store, "main");
  const { value } = await execute(hub.core, inviteFirstAdministrator, { caller, input: {} });
  const { link } = inviteFirstAdministrator.output.parse(value);
  return link === null ? null : new URL(link).pathname;
}

const CHOSEN = { new_password: "a new horse battery", again: "a new horse battery" };

onEachStore("the first administrator", (start) => {
  it("joins by the newest link, once, and then there is none any more", async () => {
    await using hub = await start();
    const visitor = makeVisitor(hub);

    const first = await startAgain(hub);
    const second = await startAgain(hub);
    const old = await visitor.open(first ?? "");
    const shown = await visitor.open(second ?? "");
    const joined = await visitor.submit(second ?? "", { user: "eve", ...CHOSEN });
    const third = await startAgain(hub);

    expect(old.status).toBe(410);
    expect(shown.text).toContain("crewroom invites you to the organization main, as an administrator.");
    expect(joined.path).toBe("/connect");
    expect((await makeVisitor(hub).open(second ?? "")).status).toBe(410);
    expect(third).toBe(null);
    expect((await hub.as("boss").call("list_members"))["members"]).toContainEqual(
      expect.objectContaining({ user_id: "eve", role: "admin" }),
    );
  });

  it("has a day to come", async () => {
    await using hub = await start();
    const link = (await startAgain(hub)) ?? "";

    hub.later({ hours: 23 });
    const inTime = await makeVisitor(hub).open(link);
    hub.later({ hours: 2 });
    const late = await makeVisitor(hub).open(link);

    expect([inTime.status, late.status]).toEqual([200, 410]);
  });

  it("leaves what the operator invited by hand alone", async () => {
    await using hub = await start();
    const { link } = await hub.as("boss").call("invite_person", { user_id: "fay" });

    await startAgain(hub);

    expect((await makeVisitor(hub).open(new URL(String(link)).pathname)).status).toBe(200);
  });
});
