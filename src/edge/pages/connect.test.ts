import { expect, it } from "vitest";
import { makeActor } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { visitAs } from "../../testkit/page-visitor.ts";

onEachStore("the page to connect an agent", (start) => {
  it("makes a token of an agent of one's own, which acts for its person and is shown this once", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = await visitAs(hub, "ben");

    const form = await ben.open("/connect");
    const made = await ben.submit("/connect", { agent: "ben-laptop", room: "lobby" });
    const [token = ""] = /crw_agt_\w{36}/.exec(made.text) ?? [];
    const again = await ben.open("/connect");

    expect(form.html).toContain('value="ben-agent"');
    expect(made.text).toContain(
      `printf %s ${token} | node "$HOME/.crewroom/crewroom.mjs" connect --url ${hub.url} --token-file -`,
    );
    expect(await makeActor(hub.url, "ben-laptop", token).call("whoami", {})).toMatchObject({
      user_id: "ben-laptop",
      owner: "ben",
      default_room: "lobby",
      roles: ["read", "write", "person_read", "person_write"],
    });
    expect([again.html.includes("crw_agt_"), made.headers.get("cache-control")]).toEqual([false, "no-store"]);
  });

  it("gives an administrator's agent no more than another one's, and says what cannot be", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const dora = await visitAs(hub, "dora");
    const refused = [];

    await dora.open("/connect");
    const made = await dora.submit("/connect", { agent: "dora-box", room: "lobby" });
    for (const filled of [
      { agent: "dora-box", room: "nowhere" },
      { agent: "ben", room: "lobby" },
      { agent: "<b>", room: "lobby" },
    ]) {
      await dora.open("/connect");
      refused.push(await dora.submit("/connect", filled));
    }

    const [token = ""] = /crw_agt_\w{36}/.exec(made.text) ?? [];
    const me = await makeActor(hub.url, "dora-box", token).call("whoami", {});
    expect([me["owner"], me["roles"]]).toEqual(["dora", ["read", "write", "person_read", "person_write"]]);
    expect(refused.map(({ status }) => status)).toEqual([403, 409, 400]);
    expect(refused.map(({ html }) => html.includes('role="alert"'))).toEqual([true, true, true]);
    expect(refused[2]?.html).not.toContain("<b>");
  });
});
