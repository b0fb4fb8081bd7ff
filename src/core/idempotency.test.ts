import { expect, test } from "vitest";
import { onEachStore } from "../testkit/hub.ts";
import { testCaller } from "../testkit/mcp.ts";
import { findAnswer, keepAnswer } from "./idempotency.ts";

const OPERATION = { name: "make_key", secretFields: ["key", "setup"] };
const NOTE = "If nobody kept it, end this one and call make_key with another idempotency_key: ";

onEachStore("a kept answer", (start) => {
  test.each([
    ["both secrets", { id: 1, key: "s3cret", setup: { line: "s3cret" } }, { key: null, setup: null }, "key and setup"],
    ["one of them", { id: 1, key: "s3cret", setup: null }, { key: null, setup: null }, "key"],
    ["one, the other not at all", { id: 1, setup: "s3cret" }, { setup: null }, "setup"],
  ])("has no secret, and says first what to do instead: %s", async (_, answer, without, named) => {
    await using hub = await start();
    const request = { given: "k1", key: "k1", digest: "d1" };

    const kept = await hub.hub.store.write("main", async (tx) => {
      await keepAnswer(tx, testCaller(), OPERATION, request, answer);
      return findAnswer(tx, testCaller(), OPERATION.name, request);
    });

    const note = `${NOTE}${named} came once, in the first answer to this key.`;
    expect(kept).toEqual({ note, ...answer, ...without });
    expect(Object.keys(kept ?? {})[0]).toBe("note");
    expect(JSON.stringify(kept)).not.toContain("s3cret");
  });

  test("is the answer itself where it had none", async () => {
    await using hub = await start();
    const request = { given: "k1", key: "k1", digest: "d1" };
    const answer = { id: 1, key: null, setup: null };

    for (const operation of [OPERATION, { name: "make_key" }]) {
      const kept = await hub.hub.store.write("main", async (tx) => {
        await keepAnswer(tx, testCaller(), operation, request, answer);
        return findAnswer(tx, testCaller(), operation.name, request);
      });

      expect(kept).toEqual(answer);
    }
  });
});
