import { expect, it } from "vitest";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

async function knows(hub: TestHub, handle: string, ownership: readonly string[], notes = "") {
  const organization = handle === "zoe" ? "other" : "main";
  await hub.hub.store.write(organization, (tx) =>
    tx.run(sql`
      update persons
      set ownership = ${JSON.stringify(ownership)}, notes = ${notes}
      where organization = ${organization} and handle = ${handle}`),
  );
}

onEachStore("who_should_i_ask", (start) => {
  it("puts ownership before notes, gives each its reasons, and leaves out the asker and strangers", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await knows(hub, "ann", ["alpha-repo"]);
    await knows(hub, "ben", ["alpha-repo", "payments-service"]);
    await knows(hub, "cleo", [], "Once wrote the retry logic of alpha-repo.");
    await knows(hub, "zoe", ["alpha-repo"]);

    const answer = await hub.as("annbot").call("who_should_i_ask", { query: "retry in alpha-repo?" });

    expect(answer["org_id"]).toBe("main");
    expect(answer["candidates"]).toEqual([
      {
        user_id: "ben",
        name: "ben",
        score: 3,
        breakdown: { ownership: 3, answers: 0, notes: 0, familiarity: 0 },
        reason: "Looks after it.",
      },
      {
        user_id: "cleo",
        name: "cleo",
        score: 1.6,
        breakdown: { ownership: 0, answers: 0, notes: 1.6, familiarity: 0 },
        reason: "Mentions it in the notes.",
      },
    ]);
  });

  it("knows nobody for what nobody knows", async () => {
    await using hub = await start();
    await hub.seatPeople();

    expect((await hub.as("ann").call("who_should_i_ask", { query: "cake" }))["candidates"]).toEqual([]);
  });
});
