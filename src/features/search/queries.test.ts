import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Store } from "../../store/store.ts";
import { wordsOf } from "../../store/words.ts";
import { TESTED_STORES } from "../../testkit/databases.ts";
import { watched } from "../../testkit/plans.ts";
import { openTestStore } from "../../testkit/store.ts";
import { makeOrganization } from "../organizations/make-organization.ts";
import { dropTexts, type Finder, findTexts, indexText, type SearchKey, type TextQuery } from "./queries.ts";

const CORPUS: Readonly<Record<string, string>> = {
  "1": "The retry logic of alpha-repo: three attempts with getBackoff_ms",
  "2": "Déjà vu: the RETRY of payments-service",
  "3": "東京の支払い service",
  "4": "api.v1/payments 'quoted' \"words\" AND OR NOT * ( ) & | ! \\",
};

const ASKED: readonly (readonly [string, readonly string[]])[] = [
  ["retry", ["2", "1"]],
  ["Retry LOGIC", ["1"]],
  ["deja", ["2"]],
  ["backoff", ["1"]],
  ["getBackoff_ms", ["1"]],
  ["支払", ["3"]],
  ["東", ["3"]],
  ["service", ["3", "2"]],
  ["AND", ["4"]],
  ["not or and", ["4"]],
  ["'quoted'", ["4"]],
  ['" OR 1=1', []],
  ["=main=answer", []],
  ["tokyo", []],
];

function key(id: string, organization = "main"): SearchKey {
  return { organization, kind: "answer", room: 0, id };
}

async function find(store: Store, text: string, which: "all" | "any" = "all", organization = "main") {
  return findAs(store, ["@ann"], text, which, organization);
}

async function findAs(
  store: Store,
  finders: readonly Finder[],
  text: string,
  which: "all" | "any" = "all",
  organization = "main",
) {
  const query = queryOf(finders, text, which, organization);
  return (await store.read((tx) => findTexts(tx, query))).map(({ id }) => id);
}

function queryOf(
  finders: readonly Finder[],
  text: string,
  which: "all" | "any" = "all",
  organization = "main",
): TextQuery {
  const words = wordsOf(text, "asked");
  return { organization, kinds: ["answer"], finders, words, which, limit: 10 };
}

async function fill(store: Store) {
  for (const [id, text] of Object.entries(CORPUS))
    await store.write("main", async (tx) => indexText(tx, key(id), { finders: ["@ann"], text: text }));
}

describe.each(TESTED_STORES)("the search index (%s)", (kind) => {
  it("finds the same texts for the same words, newest first", async () => {
    await using opened = await openTestStore(kind);
    await fill(opened.store);

    const found = [];
    for (const [text] of ASKED) found.push([text, await find(opened.store, text)]);

    expect(found).toEqual(ASKED);
    expect((await find(opened.store, "tokyo logic 支払", "any")).sort()).toEqual(["1", "3"]);
  });

  it("knows each organization's texts apart, replaces and forgets", async () => {
    await using opened = await openTestStore(kind);
    const { store } = opened;
    await store.write("rival", (tx) => makeOrganization(tx, { id: "rival", name: "Rival", by: "crewroom" }));
    await fill(store);
    await store.write("rival", async (tx) =>
      indexText(tx, key("1", "rival"), { finders: ["@ann"], text: "retry of the rival" }),
    );

    await store.write("main", async (tx) => indexText(tx, key("1"), { finders: ["@ann"], text: "nothing of that" }));
    await store.write("main", async (tx) => dropTexts(tx, [key("2")]));

    expect(await find(store, "retry")).toEqual([]);
    expect(await find(store, "nothing")).toEqual(["1"]);
    expect(await find(store, "retry", "all", "rival")).toEqual(["1"]);
  });

  it("gives each what is for it: its own, its rooms', everyone's", async () => {
    await using opened = await openTestStore(kind);
    const { store } = opened;
    const put = (id: string, finders: readonly Finder[]) =>
      store.write("main", async (tx) => indexText(tx, key(id), { finders, text: "retry =main=answer=@zoe @zoe #3" }));
    await put("1", ["@ann", "@ben"]);
    await put("2", ["@ann", "#3"]);
    await put("3", ["@ben", "everyone"]);

    expect(await findAs(store, ["@ann", "everyone"], "retry")).toEqual(["3", "2", "1"]);
    expect(await findAs(store, ["@cleo", "#3"], "retry")).toEqual(["2"]);
    expect(await findAs(store, ["@zoe"], "retry")).toEqual([]);
    expect(await findAs(store, ["#33", "@an"], "retry")).toEqual([]);
  });

  it("gives the latest ones without sorting all that it finds", async () => {
    await using opened = await openTestStore(kind);
    await fill(opened.store);
    const query: TextQuery = { ...queryOf(["@ann"], "service retry", "any"), limit: 2 };
    const plans: string[] = [];

    const found = await opened.store.read((tx) => findTexts(watched(tx, kind, plans), query));

    expect(found.map(({ id }) => id)).toEqual(["3", "2"]);
    expect(plans.length).toBeGreaterThan(0);
    // Postgres sorts; it has a process of its own for that.
    if (kind === "sqlite") expect(plans.filter((line) => line.includes("TEMP B-TREE"))).toEqual([]);
  });

  it("finds any text by any of its words, whatever they are", async () => {
    await using opened = await openTestStore(kind);
    const { store } = opened;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), async (text) => {
        const words = wordsOf(text, "asked");
        fc.pre(words.length > 0);
        await store.write("main", async (tx) => indexText(tx, key("1"), { finders: ["@ann"], text: text }));
        expect(await find(store, text)).toEqual(["1"]);
        expect(await find(store, words[0] ?? "")).toEqual(["1"]);
      }),
      { numRuns: 100 },
    );
  });
});
