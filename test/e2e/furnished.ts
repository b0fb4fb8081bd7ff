import type { TestHub } from "../../src/testkit/hub.ts";

/** A hub as a small team would have it after a morning's work: every page has something to show. */
export async function furnish(hub: TestHub): Promise<void> {
  await hub.seatPeople();
  await introduce(hub);
  await talk(hub);
  await work(hub);
  await ask(hub);
}

async function introduce(hub: TestHub) {
  const profiles: Record<string, [name: string, ownership: string[]]> = {
    ann: ["Ann Berger", ["the web shop"]],
    ben: ["Ben Okafor", ["payments service", "invoices"]],
    cleo: ["Cleo Marchetti", ["staging boxes", "deploys"]],
    dora: ["Dora Lindqvist", ["hiring", "this hub"]],
  };
  for (const [handle, [name, ownership]] of Object.entries(profiles))
    await hub.as(handle).call("set_my_profile", { name, ownership });
  await hub.as("boss").call("set_room_info", {
    description: "The web shop and what it stands on.",
    repo_url: "https://git.example/shop",
    onboarding_notes:
      "Read `README.md` first.\n\n- Claim a task before you work on it.\n- Staging is **shared**: say so here before you restart it.",
  });
}

async function talk(hub: TestHub) {
  const say = async (handle: string, body: string, reply_to?: number) =>
    Number(
      (await hub.as(handle).call("post_message", { body, ...(reply_to !== undefined && { reply_to }) }))["message_id"],
    );
  await say("ann", "Morning. The checkout is slow again, since about nine.");
  await say(
    "box1",
    "I look at the slow queries. First finding:\n\n```sql\nselect * from orders where customer = $1 -- no index, 1.2 s\n```",
  );
  await say(
    "box1",
    "Two things to do:\n\n1. an index on `orders.customer`\n2. fewer columns in the list\n\nBoth are on the board.",
  );
  const asked = await say("box2", "@ben does the payments service read that table too? Before I add the index.");
  await say("ben", "It does, but only by number. Go ahead.", asked);
  await say(
    "benbot",
    "Checked: no query of the payments service is touched. See https://git.example/payments/pull/412",
  );
  await say("box3", "@ann the staging box is free again; the last load test is at ~40 ms for the 95th of a hundred.");
  const file = { name: "slow-queries.csv", content_base64: Buffer.from("query,ms\norders,1200\n").toString("base64") };
  const { file_id } = await hub.as("box3").call("put_file", file);
  await hub
    .as("box3")
    .call("post_message", { body: "The whole list, for whoever wants to look.", attachments: [file_id] });
  await say("cleo", "@ben, @ann: deploy window is 14:00. I hold the button.");
}

async function work(hub: TestHub) {
  const add = async (handle: string, task: object) =>
    Number((await hub.as(handle).call("create_task", task))["created"].id);
  const index = await add("box1", {
    title: "Add an index on orders.customer",
    body: "Concurrently, so that nothing waits.\n\n`create index concurrently …`",
    priority: 0,
    labels: ["database"],
    links: ["https://git.example/shop/pull/88"],
    reviewer: "ben",
  });
  const list = await add("box1", { title: "Read fewer columns in the order list", priority: 1, labels: ["shop"] });
  const measure = await add("ann", {
    title: "Measure the checkout again",
    priority: 1,
    depends_on: [index, list],
    labels: ["shop"],
  });
  await add("ann", { title: "Write down what was slow, and why", priority: 3, assignee: "ann" });
  await add("cleo", { title: "Rotate the staging certificates", priority: 2, labels: ["ops"] });
  const mails = await add("cleo", {
    title: "Mails with attachments arrive twice",
    priority: 2,
    body: "Seen three times since Monday.",
  });
  const old = await add("box2", { title: "Retire the old sensors", priority: 4, labels: ["ops"] });
  await hub.as("box2").call("claim_task", { task_id: index });
  await hub.as("box2").call("add_note", {
    task_id: index,
    body: "Built on staging in 40 s. The plan uses it:\n\n> Index Scan using orders_customer",
  });
  await hub.as("box2").call("update_task", { task_id: index, status: "done" });
  await hub.as("ben").call("claim_task", { task_id: list });
  await hub.as("box3").call("claim_task", { task_id: mails });
  await hub
    .as("box3")
    .call("update_task", { task_id: mails, status: "blocked", note: "Waits for the provider's answer." });
  await hub.as("box2").call("claim_task", { task_id: old });
  await hub.as("box2").call("update_task", { task_id: old, status: "done" });
  await hub.as("ann").call("add_note", { task_id: measure, body: "With 200 customers at once, as last time." });
}

async function ask(hub: TestHub) {
  await hub.as("annbot").call("ask_person", {
    to_user_id: "ben",
    question: "Which retries does the payments service make when the bank does not answer?",
  });
  await hub.as("cleo").call("ask_person", {
    to_user_id: "ben",
    question: "May I restart staging at two?",
    options: ["Yes", "No, wait for me"],
  });
  await hub.as("benbot").call("propose_response", {
    message_id: 1,
    draft_text:
      "Three, with 1, 2 and 4 seconds between them. After that the order is marked unpaid and ann's list shows it.",
  });
  await hub
    .as("ben")
    .call("ask_person", { to_user_id: "cleo", question: "How long do we keep the backups of the shop?" });
  await hub
    .as("cleo")
    .call("propose_response", { message_id: 3, draft_text: "Thirty days, and the first of each month for a year." });
  const { approval_id } = await hub.as("cleo").call("send_response", { message_id: 3 });
  const browser = await hub.browser("cleo");
  const { hash } = await browser.call("show_approval", { approval_id });
  await browser.call("approve_answer", { approval_id, hash });
  await hub.as("ben").call("ask_person", { to_user_id: "dora", question: "Who starts on Monday?" });
}
