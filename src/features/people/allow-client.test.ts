import { expect, it } from "vitest";
import { hashToken } from "../../access/tokens.ts";
import { execute } from "../../core/execute.ts";
import { LIMITS } from "../../core/limits.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { allowClient } from "./allow-client.ts";

const allow = async (hub: TestHub, secret: string, input: object) => {
  const caller = await hub.hub.callers.bySession(secret, { address: "127.0.0.1", session: "-" });
  return execute(hub.hub.core, allowClient, { caller, input: { ...allowClient.example, ...input } });
};

onEachStore("allow_client", (start) => {
  it("makes a sign-in of the person, as wide as the scopes that were ticked", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { token } = await hub.browser("dora");

    const scopes = [["hub:read"], ["hub:read", "hub:write"], ["hub:read", "hub:write", "hub:admin"]];
    for (const [at, scope] of scopes.entries())
      await allow(hub, token, { grant: hashToken(`grant ${at}`), client_name: `client ${at}`, scopes: scope });

    const { sessions } = await hub.as("dora").call("list_sessions");
    const clients = sessions.filter(({ kind }: { kind: string }) => kind === "client");
    expect(clients.map(({ label }: { label: string }) => label)).toEqual(["client 2", "client 1", "client 0"]);
    expect((await hub.eventsOf(null)).filter(({ kind }) => kind === "signed_in")).toHaveLength(3);
  });

  it("is for a person before the page, and administering for administrators", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ann = await hub.browser("ann");

    await expect(allow(hub, ann.token, { scopes: ["hub:read", "hub:admin"] })).rejects.toMatchObject({
      code: "not_allowed",
    });
    const bearer = await hub.hub.callers.byToken(hub.token("ann"), { address: "127.0.0.1", session: "-" });
    await expect(
      execute(hub.hub.core, allowClient, { caller: bearer, input: allowClient.example }),
    ).rejects.toMatchObject({ code: "not_allowed" });
    expect((await hub.as("ann").try("allow_client", allowClient.example)).ok).toBe(false);
  });

  it("ends the oldest where a person has too many", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { token } = await hub.browser("ann");

    for (let n = 0; n < LIMITS.sessionsPerPerson + 2; n++) {
      hub.later({ seconds: 1 });
      await allow(hub, token, { grant: hashToken(`grant ${n}`), client_name: `client ${n}` });
    }

    const { sessions } = await hub.as("ann").call("list_sessions", { limit: 200 });
    const labels = sessions
      .filter(({ kind }: { kind: string }) => kind === "client")
      .map(({ label }: { label: string }) => label);
    expect(labels).toHaveLength(LIMITS.sessionsPerPerson);
    expect(labels).not.toContain("client 1");
    expect(labels).toContain("client 2");
  });
});
