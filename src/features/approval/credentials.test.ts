import { expect, test } from "vitest";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { connect } from "../../testkit/mcp-client.ts";
import { askAndSend, outcomeOf, repliesOf } from "../../testkit/questions.ts";

onEachStore("an approval", (start) => {
  test("takes no token of any kind for an approval, and no agent's at all", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const { hash } = await (await hub.browser("ben")).call("show_approval", { approval_id });
    await using mcp = await connect(hub, "ben");

    const replies = [
      await hub.as("benbot").try("approve_answer", { approval_id, hash }),
      await hub.as("benbot").try("approve_answer", { approval_id, hash, password: PASSWORD }),
      await hub.as("benbot").try("show_approval", { approval_id }),
      await hub.as("benbot").try("reject_draft", { approval_id }),
      await hub.as("boss").try("approve_answer", { approval_id, hash, password: PASSWORD }),
      await hub.as("ben").try("approve_answer", { approval_id, hash }),
    ];

    expect(replies.map(outcomeOf)).toEqual(replies.map(() => "403 not_allowed"));
    const offered = (await mcp.tools()).map((tool) => tool.name);
    for (const name of ["approve_answer", "reject_draft", "show_approval", "list_approvals"])
      expect(offered).not.toContain(name);
    expect(await repliesOf(hub)).toEqual([]);
  });

  test("is judged by the organization's rule at the press, and by what its credential is", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const page = await hub.browser("ben");
    const { hash } = await page.call("show_approval", { approval_id });
    const ask = (headers: Record<string, string>) =>
      fetch(`${hub.url}/api/approve_answer`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ approval_id, hash }),
      });
    const cookie = `crewroom=${page.token}`;

    const statuses = [];
    for (const headers of [
      {},
      { authorization: `Bearer ${page.token}` },
      { cookie: `crewroom=${hub.token("ben")}`, origin: hub.url, "sec-fetch-site": "same-origin" },
      { cookie: `crewroom=${hub.token("benbot")}`, origin: hub.url, "sec-fetch-site": "same-origin" },
      { cookie },
      { cookie, origin: "https://evil.example" },
      { cookie, origin: hub.url, "sec-fetch-site": "cross-site" },
      { cookie, "sec-fetch-site": "none" },
      { cookie, authorization: `Bearer ${hub.token("benbot")}`, origin: hub.url, "sec-fetch-site": "same-origin" },
      { cookie, authorization: `Bearer ${hub.token("ben")}`, origin: hub.url, "sec-fetch-site": "same-origin" },
    ] as Record<string, string>[])
      statuses.push((await ask(headers)).status);

    expect(statuses).toEqual([401, 401, 401, 401, 403, 403, 403, 403, 403, 403]);
    expect(await repliesOf(hub)).toEqual([]);
    expect((await ask({ cookie, origin: hub.url, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });
});
