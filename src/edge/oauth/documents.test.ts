import { expect, it } from "vitest";
import { type Outbound, OutboundProblem } from "../../access/outbound.ts";
import { makeNobody } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { clientOf, openVisit } from "../../testkit/oauth.ts";

const ID = "https://app.example/client.json";
const REDIRECT = "http://localhost:3000/callback";
const usual = { client_id: ID, client_name: "Documented", redirect_uris: ["http://127.0.0.1/callback", REDIRECT] };

/** The outside: documents by their address. Counts what is fetched. */
function openOutside(documents: Record<string, unknown>) {
  const fetched: string[] = [];
  const outbound: Outbound = {
    post: () => Promise.reject(new OutboundProblem("nothing is sent here")),
    async get({ href }, { bytes, ms }) {
      expect([bytes, ms]).toEqual([5_120, 5_000]);
      fetched.push(href);
      const document = documents[href];
      if (document === undefined) throw new OutboundProblem("its host could not be reached");
      return Buffer.from(typeof document === "string" ? document : JSON.stringify(document));
    },
  };
  return { outbound, fetched };
}

async function authorize(hub: TestHub, id: string, handle = "ann", redirect = REDIRECT) {
  const client = clientOf(hub.url, id, redirect);
  const visit = openVisit(hub.url, await hub.browser(handle));
  return { client, visit, end: await visit.follow(`/oauth/authorize?${client.request().toString()}`) };
}

const statusOf = (end: Awaited<ReturnType<typeof authorize>>["end"]) => (end instanceof URL ? end.href : end.status);
const on = { CREWROOM_OAUTH_CIMD: "on" };

onEachStore("a client that names itself by its document", (start) => {
  it("is let in like one that registered, from any port of loopback", async () => {
    const { outbound, fetched } = openOutside({ [ID]: usual });
    await using hub = await start(on, { outbound });
    await hub.seatPeople();

    const { client, visit, end } = await authorize(hub, ID, "ann", "http://127.0.0.1:4711/callback");
    if (end instanceof URL) throw new Error(end.href);
    const answer = await visit.send(end, { decision: "allow", "hub:write": "yes" });
    const { status, body } = await client.exchange(answer.searchParams.get("code") ?? "");
    const next = await client.refresh(body["refresh_token"]);

    expect(end.text.replace(/<[^>]+>/g, "")).toContain("That is what its document at app.example calls it.");
    expect([status, next.status]).toEqual([200, 200]);
    expect(fetched).toEqual([ID]);
  });

  it("is fetched for a person who is signed in, and for nobody else", async () => {
    const { outbound, fetched } = openOutside({ [ID]: usual });
    await using hub = await start(on, { outbound });
    await hub.seatPeople();
    const client = clientOf(hub.url, ID, REDIRECT);
    const target = `/oauth/authorize?${client.request().toString()}`;

    const stranger = await openVisit(hub.url, makeNobody(hub.url)).get(target);
    const exchanged = await client.exchange("x");
    const registered = await client.refresh("x");

    expect(stranger.path).toBe(`/login?next=${encodeURIComponent(target)}`);
    expect([exchanged.status, registered.status]).toEqual([401, 401]);
    expect(fetched).toEqual([]);
    expect(statusOf((await authorize(hub, ID)).end)).toBe(200);
    expect(fetched).toEqual([ID]);
  });

  it("is refused on a page when the address or the document does not fit, and is not kept", async () => {
    const here = (path: string) => `https://app.example${path}`;
    const { outbound, fetched } = openOutside({
      [here("/foreign")]: usual,
      [here("/list")]: [],
      [here("/text")]: "no JSON",
      [here("/twice")]: `{"client_id":"${here("/twice")}","client_id":"${here("/twice")}"}`,
      [here("/secret")]: { ...usual, client_id: here("/secret"), token_endpoint_auth_method: "client_secret_post" },
      [here("/kept-secret")]: { ...usual, client_id: here("/kept-secret"), client_secret: "x" },
      [here("/nowhere")]: { ...usual, client_id: here("/nowhere"), redirect_uris: ["http://odd.example/"] },
    });
    await using hub = await start({ ...on, CREWROOM_AUTH_FAIL_LIMIT: "0" }, { outbound });
    await hub.seatPeople();

    for (const [id, told] of [
      [here("/foreign"), "another client_id"],
      [here("/list"), "not one JSON object"],
      [here("/text"), "not one JSON object"],
      [here("/twice"), "not one JSON object"],
      [here("/secret"), "shared secret"],
      [here("/kept-secret"), "shared secret"],
      [here("/nowhere"), "none that can be used"],
      [here("/missing"), "could not be reached"],
    ] as const) {
      const { end } = await authorize(hub, id);
      expect(statusOf(end), id).toBe(400);
      expect(end instanceof URL ? "" : end.text, id).toContain(told);
    }
    expect(fetched).toHaveLength(8);
    for (const id of [
      "https://app.example",
      "https://app.example/",
      "https://app.example/a/../b",
      "https://app.example/a/%2e%2e/b",
      "https://app.example/a/./b",
      "https://app.example/x#fragment",
      "https://APP.example/x",
      "HTTPS://app.example/x",
      "https://app.example:443/x",
      "https://app.example\\x",
      `https://app.example/${"x".repeat(1_000)}`,
    ]) {
      expect(statusOf((await authorize(hub, id, "ben")).end), id).toBe(400);
    }
    expect(fetched).toHaveLength(8);
    const client = clientOf(hub.url, here("/missing"), REDIRECT);
    for (const id of fetched)
      expect(await client.refresh("x", { client_id: id }), id).toMatchObject({ body: { error: "invalid_client" } });
  });

  it("is fetched again after ten minutes, and only so often for one person", async () => {
    const documents: Record<string, unknown> = { [ID]: usual };
    for (let n = 0; n < 25; n++) documents[`${ID}?${n}`] = { ...usual, client_id: `${ID}?${n}` };
    const { outbound, fetched } = openOutside(documents);
    await using hub = await start(on, { outbound });
    await hub.seatPeople();

    const first = await authorize(hub, ID);
    documents[ID] = { ...usual, redirect_uris: ["https://elsewhere.example/cb"] };
    const kept = await authorize(hub, ID);
    hub.later({ minutes: 11 });
    const changed = await authorize(hub, ID);
    const storm = [];
    for (let n = 0; n < 25; n++) storm.push(statusOf((await authorize(hub, `${ID}?${n}`)).end));
    const other = await authorize(hub, `${ID}?24`, "ben");

    expect([first, kept, changed].map(({ end }) => statusOf(end))).toEqual([200, 200, 400]);
    expect(storm.filter((status) => status === 200)).toHaveLength(18);
    expect(storm.filter((status) => status === 429)).toHaveLength(7);
    expect(statusOf(other.end)).toBe(200);
    expect(fetched).toHaveLength(21);
  });

  it("is unknown where the hub is not set to fetch", async () => {
    const { outbound, fetched } = openOutside({ [ID]: usual });
    await using hub = await start({}, { outbound });
    await hub.seatPeople();

    const { end } = await authorize(hub, ID);

    expect(statusOf(end)).toBe(400);
    expect(fetched).toEqual([]);
  });
});
