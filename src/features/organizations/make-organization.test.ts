import { expect, test } from "vitest";
import { operatorCaller } from "../../access/operator.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { FIRST_ROOM, makeOrganization } from "./make-organization.ts";
import { listOrganizations } from "./queries.ts";

onEachStore("makeOrganization", (start) => {
  test("makes an organization once, with its log and first room, however many try", async () => {
    await using hub = await start();
    const { store } = hub.hub;

    const tries = await Promise.all(
      [1, 2, 3].map(() => store.write("acme", (tx) => makeOrganization(tx, { id: "acme", name: "Acme", by: "admin" }))),
    );

    const found = (await store.read(listOrganizations)).find((organization) => organization.id === "acme");
    expect(tries.filter(Boolean)).toHaveLength(1);
    expect(found).toMatchObject({ name: "Acme", position: 2, epoch: expect.stringMatching(/^[0-9a-z]{12}$/) });
    expect([...(await operatorCaller(store, "acme")).rooms.keys()]).toEqual([FIRST_ROOM]);
  });

  test("gives each history a name of its own", async () => {
    await using hub = await start();
    const { store } = hub.hub;
    for (const id of ["one", "two"]) await store.write(id, (tx) => makeOrganization(tx, { id, name: id, by: "admin" }));

    const epochs = (await store.read(listOrganizations)).map((organization) => organization.epoch);

    expect(new Set(epochs.filter((epoch) => epoch !== "testepoch000")).size).toBe(3);
  });
});

onEachStore("operatorCaller", (start) => {
  test("refuses an organization that is not there", async () => {
    await using hub = await start();

    await expect(operatorCaller(hub.hub.store, "nope")).rejects.toMatchObject({ code: "organization_not_found" });
  });
});
