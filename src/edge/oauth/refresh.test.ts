import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { letIn, registerClient } from "../../testkit/oauth.ts";

const isAccepted = async (hub: TestHub, token: string) =>
  (await fetch(`${hub.url}/v1/rooms`, { headers: { authorization: `Bearer ${token}` } })).status === 200;

const refused = { status: 400, body: { error: "invalid_grant" } };

onEachStore("a refresh token", (start) => {
  it("gives new tokens and is replaced", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { client, access, refresh } = await letIn(hub, "ann");

    hub.later({ hours: 2 });
    const next = await client.refresh(refresh);

    expect(next).toMatchObject({ status: 200, body: { expires_in: 3_600, scope: "hub:read hub:write" } });
    expect(next.body["refresh_token"]).not.toBe(refresh);
    expect(await isAccepted(hub, access)).toBe(false);
    expect(await isAccepted(hub, next.body["access_token"])).toBe(true);
  });

  it("may come again within a minute: sessions of one machine share it, and an answer may get lost", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { client, refresh } = await letIn(hub, "ann");

    const together = await Promise.all([client.refresh(refresh), client.refresh(refresh)]);
    hub.later({ seconds: 59 });
    const again = await client.refresh(refresh);
    const all = [...together, again];

    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(all.map(({ body }) => body["refresh_token"])).size).toBe(3);
    for (const { body } of all) expect(await isAccepted(hub, body["access_token"])).toBe(true);
    for (const { body } of all) expect((await client.refresh(body["refresh_token"])).status).toBe(200);
  });

  it("ends the whole sign-in when it comes again later: one of two has stolen it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { client, refresh } = await letIn(hub, "ann");
    const other = await letIn(hub, "ann");

    const next = await client.refresh(refresh);
    hub.later({ seconds: 61 });
    const reused = await client.refresh(refresh);

    expect(reused).toMatchObject(refused);
    expect(await isAccepted(hub, next.body["access_token"])).toBe(false);
    expect(await client.refresh(next.body["refresh_token"])).toMatchObject(refused);
    expect(await isAccepted(hub, other.access)).toBe(true);
    expect((await hub.eventsOf(null)).filter(({ kind }) => kind === "signed_out")).toEqual([
      expect.objectContaining({ actor: "crewroom", detail: expect.stringContaining("Test client"), concerns: ["ann"] }),
    ]);
  });

  it("is its own client's, and gives no more than was granted", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { client, refresh } = await letIn(hub, "dora", {
      scope: "hub:read hub:write hub:admin",
      tick: ["hub:write"],
    });
    const thief = await registerClient(hub.url);

    const stolen = await thief.refresh(refresh);
    const more = await client.refresh(refresh, { scope: "hub:read hub:write hub:admin" });
    const less = await client.refresh(refresh, { scope: "hub:read offline_access" });
    const elsewhere = await client.refresh(less.body["refresh_token"], { resource: "https://other.example/mcp" });

    expect(stolen).toMatchObject(refused);
    expect(more).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
    expect(less).toMatchObject({ status: 200, body: { scope: "hub:read" } });
    expect(elsewhere).toMatchObject({ status: 400, body: { error: "invalid_target" } });
  });

  it("lasts thirty days after its last use, and so does the sign-in", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { client, refresh } = await letIn(hub, "ann");
    let current = refresh;

    for (let month = 0; month < 3; month++) {
      hub.later({ days: 29 });
      const next = await client.refresh(current);
      expect(next.status).toBe(200);
      expect(await isAccepted(hub, next.body["access_token"])).toBe(true);
      current = next.body["refresh_token"];
    }
    hub.later({ days: 30, seconds: 1 });
    expect(await client.refresh(current)).toMatchObject(refused);
    hub.later({ days: 1 });
    expect(await client.refresh(current)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });
});
