import { createPublicKey, verify } from "node:crypto";
import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { askAndSend, press } from "../testkit/questions.ts";
import { openReceiver, type Receiver } from "../testkit/receiver.ts";

async function startWith(start: (settings: Record<string, string>) => Promise<TestHub>, receiver: Receiver) {
  const hub = await start({ CREWROOM_OUTBOUND_HOSTS: receiver.host, CREWROOM_PUBLIC_URL: "https://crew.example" });
  await hub.seatPeople();
  return hub;
}

const tellBy = (hub: TestHub, handle: string, channel: string, address: string) =>
  hub.as(handle).call("add_notice", { channel, address });

onEachStore("a notice to a person", (start) => {
  it("says that a question waits, and which page to open, and no more", async () => {
    await using receiver = await openReceiver();
    await using hub = await startWith(start, receiver);
    await tellBy(hub, "ben", "ntfy", `${receiver.url}/topic`);
    await tellBy(hub, "ben", "slack", `${receiver.url}/services/T/B`);

    await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "The secret plan: crw_x?" });
    await receiver.arrivals(2);

    const [ntfy, slack] = receiver.received.toSorted((a, b) => b.path.localeCompare(a.path));
    const text = "Question q1 waits for you. Open https://crew.example/waiting";
    expect(ntfy).toMatchObject({
      path: "/topic",
      body: text,
      headers: { title: "Crewroom", click: "https://crew.example/waiting" },
    });
    expect(JSON.parse(slack?.body ?? "")).toEqual({ text });
    expect(JSON.stringify(receiver.received)).not.toMatch(/secret plan|annbot/);
  });

  it("tells of drafts, answers and what was handed on, each to whom it is for, and never of one's own acts", async () => {
    await using receiver = await openReceiver();
    await using hub = await startWith(start, receiver);
    for (const handle of ["ann", "ben", "cleo"]) await tellBy(hub, handle, "ntfy", `${receiver.url}/${handle}`);

    const { approval_id } = await askAndSend(hub, "Three of them.", { question: "How many?" });
    await press(await hub.browser("ben"), approval_id);
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "And who?" });
    await hub.as("ben").call("redirect_question", { message_id: 2, to_user_id: "cleo" });
    await hub.as("cleo").call("propose_response", { message_id: 2, draft_text: "Perhaps." });
    await hub.as("cleo").call("send_response", { message_id: 2 });
    await hub.as("cleo").call("decline_question", { message_id: 2 });
    await hub.hub.bridges.work();

    const told = receiver.received.map(({ path, body }) => `${path}: ${body.split(" Open ")[0]}`);
    expect(told.toSorted()).toEqual([
      "/ann: Your question q1 was answered.",
      "/ann: Your question q2 was declined.",
      "/ben: A draft for question q1 waits for your approval.",
      "/ben: Question q1 waits for you.",
      "/ben: Question q2 waits for you.",
      "/cleo: Question q2 waits for you.",
    ]);
    expect(JSON.stringify(receiver.received)).not.toContain(approval_id);
  });

  it("comes to a browser by push: signed, and without content", async () => {
    await using receiver = await openReceiver();
    await using hub = await startWith(start, receiver);
    await tellBy(hub, "ben", "web_push", `${receiver.url}/push/abc`);
    const { push_key } = await hub.as("ben").call("list_notices");

    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Which?" });
    const [pushed] = await receiver.arrivals(1);

    expect(pushed).toMatchObject({ method: "POST", path: "/push/abc", body: "", headers: { ttl: "86400" } });
    const [, said = "", signature = "", key = ""] =
      /^vapid t=([\w-]+\.[\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(String(pushed?.headers.authorization)) ?? [];
    expect(key).toBe(push_key);
    const claims = JSON.parse(Buffer.from(said.split(".")[1] ?? "", "base64url").toString("utf8")) as { aud: string };
    expect(claims).toMatchObject({ aud: receiver.url, sub: "https://crew.example" });
    const point = Buffer.from(key, "base64url");
    const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
    const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    const given = Buffer.from(signature, "base64url");
    expect(verify("sha256", Buffer.from(said), { key: publicKey, dsaEncoding: "ieee-p1363" }, given)).toBe(true);
  });

  it("ends with an address that is gone, and with its person", async () => {
    await using receiver = await openReceiver();
    await using hub = await startWith(start, receiver);
    await tellBy(hub, "ben", "web_push", `${receiver.url}/push/abc`);
    await tellBy(hub, "cleo", "ntfy", `${receiver.url}/cleo`);
    receiver.answer(410);
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Which?" });
    await receiver.arrivals(1);
    await hub.hub.bridges.work();

    const { notices } = await hub.as("ben").call("list_notices");
    receiver.answer(500);
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "And which?" });
    await hub.as("ann").call("ask_person", { to_user_id: "cleo", question: "Which?" });
    await receiver.arrivals(2);
    await hub.hub.bridges.work();
    await hub.as("dora").call("deactivate_member", { user_id: "cleo" });
    hub.later({ minutes: 10 });
    await hub.hub.bridges.work();

    expect(notices).toMatchObject([{ state: "disabled", problem: "it was answered with 410" }]);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/push/abc", "/cleo"]);
  });
});
