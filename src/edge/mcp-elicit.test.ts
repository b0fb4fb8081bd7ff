import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import type { Value } from "../testkit/actor.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { askForLevel, press, repliesOf } from "../testkit/questions.ts";

/** What a person sees of a prompt, and what it does with it. */
type Person = (prompt: Value) => Promise<Value> | Value;

/** An official client of benbot whose person answers prompts. */
async function connectAsking(hub: TestHub, person: Person, elicitation: Value = { form: {}, url: {} }) {
  const client = new Client(
    { name: "crewroom-test", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" }, capabilities: { elicitation } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => (await person(params)) as { action: "accept" });
  const headers = { authorization: `Bearer ${hub.token("benbot")}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit: { headers } }));
  return {
    async call(name: string, input: Value): Promise<Value> {
      const [part] = (await client.callTool({ name, arguments: input })).content;
      return JSON.parse(part?.type === "text" ? part.text : "{}") as Value; // the hub's answers are objects
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function askBen(hub: TestHub): Promise<number> {
  const question = "How many retries?";
  return (await hub.as("annbot").call("ask_person", { to_user_id: "ben", question }))["message_id"];
}

onEachStore("asking the person within a call", (start) => {
  it("shows the text in a form where a prompt may count, and sends what was accepted", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "prompted");
    const prompts: Value[] = [];
    await using ben = await connectAsking(hub, (prompt) => {
      prompts.push(prompt);
      return { action: "accept", content: { approve: true } };
    });
    const message_id = await askBen(hub);
    await ben.call("propose_response", { message_id, draft_text: "Three." });

    const sent = await ben.call("send_response", { message_id });

    expect(prompts).toHaveLength(1);
    expect(prompts[0]?.["message"]).toContain("Three.");
    expect(sent).toMatchObject({ sent: true, assurance: "prompted", final_text: "Three." });
    expect(await repliesOf(hub)).toMatchObject([{ final_response: "Three.", approved_by: "ben" }]);
  });

  it.each([
    ["declines", { action: "decline" }],
    ["cancels", { action: "cancel" }],
    ["accepts without the tick", { action: "accept", content: { approve: false } }],
  ])("sends nothing when the person %s", async (_, said) => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "prompted");
    await using ben = await connectAsking(hub, () => said);
    const message_id = await askBen(hub);
    await ben.call("propose_response", { message_id, draft_text: "Three." });

    expect(await ben.call("send_response", { message_id })).toMatchObject({ sent: false, state: "awaiting_approval" });
    expect(await repliesOf(hub)).toEqual([]);
  });

  it("opens the page by default, and tells what was pressed there", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    const prompts: Value[] = [];
    await using ben = await connectAsking(hub, async (prompt) => {
      prompts.push(prompt);
      await press(page, String(prompt["url"]).split("/").at(-1) ?? "");
      return { action: "accept" };
    });
    const message_id = await askBen(hub);
    await ben.call("propose_response", { message_id, draft_text: "Three." });

    const sent = await ben.call("send_response", { message_id });

    expect(prompts).toMatchObject([{ mode: "url", url: expect.stringContaining(`${hub.url}/approve/apr_`) }]);
    expect(sent).toMatchObject({ sent: true, assurance: "confirmed" });
  });

  it("counts an accepted prompt for nothing where the organization asks for more", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await using ben = await connectAsking(hub, () => ({ action: "accept", content: { approve: true } }));
    const message_id = await askBen(hub);
    await ben.call("propose_response", { message_id, draft_text: "Three." });

    expect(await ben.call("send_response", { message_id })).toMatchObject({ sent: false });
    expect(await repliesOf(hub)).toEqual([]);
  });

  it("asks once: what is not settled then is answered as it is", async () => {
    await using hub = await start();
    await hub.seatPeople();
    let prompts = 0;
    await using ben = await connectAsking(hub, () => {
      prompts += 1;
      return { action: "accept" };
    });
    const message_id = await askBen(hub);
    await ben.call("propose_response", { message_id, draft_text: "Three." });

    expect(await ben.call("send_response", { message_id })).toMatchObject({ sent: false });
    expect(prompts).toBe(1);
  });

  it("does not take one draft's acceptance for another's, nor one member's for another", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "prompted");
    const message_id = await askBen(hub);
    const swap = async () => {
      await hub.as("benbot").call("propose_response", { message_id, draft_text: "Thirty." });
      return { action: "accept", content: { approve: true } };
    };
    await using ben = await connectAsking(hub, swap);
    await ben.call("propose_response", { message_id, draft_text: "Three." });

    const sent = await ben.call("send_response", { message_id });

    expect(sent).toMatchObject({ sent: false });
    expect(await repliesOf(hub)).toEqual([]);
  });

  it("puts text that a prompt could not show as it is on the page", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "prompted");
    const modes: unknown[] = [];
    await using ben = await connectAsking(hub, (prompt) => {
      modes.push(prompt["mode"]);
      return { action: "accept", content: { approve: true } };
    });
    for (const draft_text of ["x".repeat(2_001), "Three\u202e.", "Th\u200bree."]) {
      const message_id = await askBen(hub);
      await ben.call("propose_response", { message_id, draft_text });
      expect(await ben.call("send_response", { message_id })).toMatchObject({ sent: false });
    }
    expect(modes).toEqual(["url", "url", "url"]);
  });
});
