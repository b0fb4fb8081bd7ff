import { PASSWORD } from "../src/testkit/cast.ts";
import type { Actor, Value } from "../src/testkit/actor.ts";
import type { TestHub } from "../src/testkit/hub.ts";
import { askAndSend, press } from "../src/testkit/questions.ts";

/** One call that tells of an event, by somebody who may make it. */
export interface Telling {
  readonly operation: string;
  readonly input: Value;
  readonly by: Actor;
}

/** Commands that tell of nothing, or end the very credential that called: their own tests have them. */
export const UNTOLD: readonly string[] = [
  "acknowledge",
  "show_approval",
  "logout",
  "register_passkey",
  "remove_passkey",
];

/** Brings a hub to where each of these calls is possible, one after the other, and gives them. */
export async function settle(hub: TestHub): Promise<Telling[]> {
  const rooms = await settleRooms(hub);
  return [...rooms, ...(await settleQuestions(hub)), ...(await settlePeople(hub)), ...(await settleBridges(hub))];
}

async function settleRooms(hub: TestHub): Promise<Telling[]> {
  const boss = hub.as("boss");
  await boss.call("post_message", { body: "first" });
  await boss.call("create_task", { title: "free" });
  await boss.call("create_task", { title: "held", claim: true });
  await hub.add("goner", { rooms: ["lobby"] });
  await boss.call("revoke_token", { agent: "goner" });
  for (const name of ["misnamed", "dusty"]) await boss.call("create_room", { name });
  await boss.call("put_file", { name: "old.log", text: "old" });
  const calls: readonly (readonly [string, Value])[] = [
    ["post_message", { body: "@box2 hello", reply_to: 1 }],
    ["retract_message", { message_id: 1 }],
    ["create_task", { title: "new", labels: ["a"], depends_on: [1], assignee: "box2" }],
    ["create_task", { title: "mine", claim: true }],
    ["claim_task", { task_id: 1 }],
    ["claim_next", {}],
    ["update_task", { task_id: 2, status: "blocked", labels: ["b"], depends_on: [1], note: "waits" }],
    ["release_task", { task_id: 2, reason: "not mine" }],
    ["add_note", { task_id: 1, body: "noted" }],
    ["set_room_info", { description: "new words" }],
    ["set_room_policy", { info_by: "admins" }],
    ["create_room", { name: "attic", description: "old things" }],
    ["put_file", { name: "new.log", text: "new" }],
    ["delete_file", { file_id: 1 }],
    ["set_retention", { days: 90 }],
    ["rename_room", { room: "misnamed", to: "well-named" }],
    ["archive_room", { room: "dusty" }],
    ["create_token", { agent: "box9", room: "lobby" }],
    ["revoke_token", { agent: "box3" }],
    ["purge_tokens", { older_than_days: 0 }],
    ["delete_room", { room: "attic" }],
  ];
  // The last one removes what an earlier one makes; where nothing may be made, it removes nothing.
  return calls.map(([operation, input]) => ({ operation, input, by: boss }));
}

async function settleQuestions(hub: TestHub): Promise<Telling[]> {
  await hub.seatPeople();
  const [ann, ben, page] = [hub.as("ann"), hub.as("benbot"), await hub.browser("ben")];
  const ask = async (question: string) =>
    (await ann.call("ask_person", { to_user_id: "ben", question }))["message_id"] as number; // the operation's own answer
  const answered = await askAndSend(hub, "Three.", { question: "answered?" });
  await press(page, answered.approval_id);
  const drafted = await ask("drafted?");
  await ben.call("propose_response", { message_id: drafted, draft_text: "Yes." });
  const [rejected, approved] = [await askAndSend(hub, "No."), await askAndSend(hub, "Yes.")];
  const { hash } = await page.call("show_approval", { approval_id: approved.approval_id });
  return [
    { operation: "ask_person", input: { to_user_id: "ben", question: "new?" }, by: ann },
    { operation: "propose_response", input: { message_id: await ask("draft?"), draft_text: "Yes." }, by: ben },
    { operation: "follow_up", input: { message_id: answered.message_id, question: "And then?" }, by: hub.as("annbot") },
    { operation: "withdraw_question", input: { message_id: await ask("withdraw?") }, by: ann },
    { operation: "decline_question", input: { message_id: await ask("decline?") }, by: ben },
    { operation: "redirect_question", input: { message_id: await ask("redirect?"), to_user_id: "cleo" }, by: ben },
    { operation: "reject_draft", input: { approval_id: rejected.approval_id }, by: page },
    { operation: "approve_answer", input: { approval_id: approved.approval_id, hash }, by: page },
  ];
}

async function settlePeople(hub: TestHub): Promise<Telling[]> {
  const [boss, dora, cleo] = [hub.as("boss"), hub.as("dora"), hub.as("cleo")];
  const administrator = await hub.browser("dora");
  const invited = await dora.call("invite_person", { user_id: "later" });
  const login = await dora.call("login", { org_id: "main", user_id: "cleo", password: PASSWORD });
  const sessions = await cleo.call("list_sessions");
  const other = sessions["sessions"].find((session: Value) => !session["current"]);
  if (typeof login["auth_token"] !== "string" || !other) throw new Error("cleo has no second sign-in.");
  const founder = { org_id: "acme", name: "Acme", admin_password: "a password of the founder" };
  const eve = { user_id: "eve", name: "Eve", password: PASSWORD, ownership: ["the docs"] };
  return [
    { operation: "register_organization", input: founder, by: dora },
    { operation: "register_user", input: eve, by: dora },
    { operation: "login", input: { org_id: "main", user_id: "ann", password: PASSWORD }, by: dora },
    { operation: "update_my_notes", input: { notes: "Best in the morning." }, by: cleo },
    { operation: "set_my_profile", input: { ownership: ["billing"] }, by: cleo },
    { operation: "update_user_profile_notes", input: { user_id: "ben", profile_notes: "On leave." }, by: dora },
    { operation: "invite_person", input: { user_id: "newcomer" }, by: dora },
    { operation: "revoke_invitation", input: { invitation_id: invited["invitation_id"] }, by: dora },
    { operation: "grant_room", input: { user_id: "cleo", room: "ops" }, by: boss },
    { operation: "revoke_room", input: { user_id: "cleo", room: "lobby" }, by: boss },
    { operation: "set_policy", input: { minimum_assurance: "signed" }, by: administrator },
    { operation: "revoke_session", input: { session_id: other["session_id"] }, by: cleo },
    {
      operation: "change_password",
      input: { old_password: PASSWORD, new_password: "another horse battery" },
      by: cleo,
    },
    { operation: "reset_password", input: { user_id: "ben" }, by: administrator },
    { operation: "deactivate_member", input: { user_id: "box3" }, by: boss },
  ];
}

/** After the people: a notice goes to one of them. */
async function settleBridges(hub: TestHub): Promise<Telling[]> {
  const [boss, ann] = [hub.as("boss"), hub.as("ann")];
  const inbound = { direction: "in", room: "lobby", author: "backups" };
  const made = await boss.call("create_hook", { ...inbound, author: "builds" });
  const added = await ann.call("add_notice", { channel: "ntfy", address: "https://ntfy.example/old" });
  return [
    { operation: "create_hook", input: inbound, by: boss },
    { operation: "delete_hook", input: { hook_id: made["hook"].id }, by: boss },
    { operation: "add_notice", input: { channel: "ntfy", address: "https://ntfy.example/new" }, by: ann },
    { operation: "remove_notice", input: { notice_id: added["notice"].id }, by: ann },
  ];
}
