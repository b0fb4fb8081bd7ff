import type { Command } from "commander";
import type { z } from "zod";
import { OPERATOR_AUTHOR } from "../access/operator.ts";
import { deactivateMember } from "../features/people/deactivate-member.ts";
import { invitePerson } from "../features/people/invite-person.ts";
import { listInvitations } from "../features/people/list-invitations.ts";
import { isMember } from "../features/people/member-queries.ts";
import { listMembers } from "../features/people/list-members.ts";
import { revokeInvitation } from "../features/people/revoke-invitation.ts";
import { erasePerson } from "../features/erasure/erase-person.ts";
import { addAccountCommands } from "./account-commands.ts";
import { UsageError } from "./exit-codes.ts";
import { asOperator } from "./operator.ts";
import { table } from "./output.ts";
import { type OrganizationOption, type Shell, withOrganization } from "./shell.ts";

interface InviteOptions extends OrganizationOption {
  readonly handle?: string;
  readonly name?: string;
  readonly role?: "member" | "admin";
  readonly expires?: string;
}

/** `person add|password|invite|invitations|withdraw|list|deactivate|erase`. */
export function addPersonCommands(program: Command, shell: Shell): void {
  const person = program.command("person").description("people: they sign in with a password, ask and answer");
  addAccountCommands(person, shell);
  withOrganization(person.command("invite").description("make a link by which somebody joins, once; show it once"))
    .option("--handle <handle>", "kept for them; theirs to choose unless given")
    .option("--name <text>", "what they are called")
    .option("--role <role>", "member or admin; member unless given")
    .option("--expires <when>", "7d, 12h or an ISO time; 7d unless given, 30d at most")
    .action((options: InviteOptions) => invite(shell, options));
  withOrganization(person.command("invitations").description("links that can still be used")).action(
    (options: OrganizationOption) => showInvitations(shell, options),
  );
  withOrganization(
    person
      .command("withdraw")
      .description("end a link that was not used yet")
      .argument("<id>", "as in person invitations"),
  ).action((id: string, options: OrganizationOption) => withdraw(shell, id, options));
  withOrganization(person.command("list").description("people, those who are gone too")).action(
    (options: OrganizationOption) => showPeople(shell, options),
  );
  withOrganization(
    person
      .command("deactivate")
      .description("end a person or an agent for good, with every credential; a person's agents too")
      .argument("<handle>"),
  )
    .option("--yes", "do it")
    .action((handle: string, options: OrganizationOption & { yes?: true }) => deactivate(shell, handle, options));
  withOrganization(
    person
      .command("erase")
      .description("deactivate a person and take its name out of everything; what it wrote stays as a former member's")
      .argument("<handle>"),
  )
    .option("--yes", "do it")
    .action((handle: string, options: OrganizationOption & { yes?: true }) => erase(shell, handle, options));
}

async function invite({ output }: Shell, { json, org, handle: user_id, name, role, expires }: InviteOptions) {
  const answer = await asOperator(org, (operator) => operator.call(invitePerson, { user_id, name, role, expires }));
  if (json) return output.value(answer);
  const whom =
    answer.user_id === null ? "Whoever opens it" : `It keeps the handle ${answer.user_id}, and whoever opens it`;
  output.say(
    [
      `An invitation to ${org}; send it yourself. ${whom} becomes a person with the role ${answer.role}:`,
      `  ${answer.link}`,
      `It works once, until ${answer.expires_at}, and is shown this once.`,
    ].join("\n"),
  );
}

async function showInvitations({ output }: Shell, { json, org }: OrganizationOption) {
  const invitations = await asOperator(org, async (operator) => {
    const all: z.output<typeof listInvitations.output>["invitations"] = [];
    for (let before_id: string | undefined; ;) {
      const page = await operator.call(listInvitations, { before_id, limit: 500 });
      all.push(...page.invitations);
      if (page.next === null) return all;
      before_id = page.next;
    }
  });
  if (json) return output.value({ count: invitations.length, invitations });
  if (invitations.length === 0) return output.say("No link is open. Make one with: person invite.");
  const rows = invitations.map((one) => [
    one.invitation_id,
    one.purpose === "join" ? `to join as ${one.role}` : "to choose a password",
    one.user_id ?? "whoever comes",
    one.invited_by,
    one.expires_at,
  ]);
  output.say(table(["ID", "FOR", "WHOM", "BY", "UNTIL"], rows));
}

async function withdraw({ output }: Shell, invitation_id: string, { json, org }: OrganizationOption) {
  const answer = await asOperator(org, (operator) => operator.call(revokeInvitation, { invitation_id }));
  if (json) return output.value(answer);
  output.say(`Invitation ${invitation_id} is withdrawn: its link works no more.`);
}

async function showPeople({ output }: Shell, { json, org }: OrganizationOption) {
  const people = await asOperator(org, async (operator) => {
    const all: z.output<typeof listMembers.output>["members"] = [];
    for (let after = ""; ;) {
      const page = await operator.call(listMembers, { after, limit: 500 });
      all.push(...page.members.filter(({ kind }) => kind === "person"));
      if (page.next === null) return all;
      after = page.next;
    }
  });
  if (json) return output.value({ count: people.length, people });
  if (people.length === 0) return output.say("There are no people. Ask somebody in with: person invite.");
  const rows = people.map((person) => [
    person.user_id,
    person.role ?? "",
    person.role === "admin" ? "(all)" : person.rooms.join(","),
    person.deactivated_at === null ? "here" : "gone",
    person.password ?? "",
    person.last_seen ?? "never",
    person.name,
  ]);
  output.say(table(["PERSON", "ROLE", "ROOMS", "STATE", "PASSWORD", "LAST SEEN", "NAME"], rows));
}

async function deactivate({ output }: Shell, handle: string, { json, org, yes }: OrganizationOption & { yes?: true }) {
  if (!yes)
    throw new UsageError(
      `This ends ${handle} for good: its sign-ins, its agents and their tokens; its handle is never given again. Repeat with --yes.`,
    );
  const answer = await asOperator(org, (operator) => operator.call(deactivateMember, { user_id: handle }));
  if (json) return output.value(answer);
  const agents = answer.agents.length === 0 ? "" : `, with its agents ${answer.agents.join(", ")}`;
  output.say(
    `${handle} is deactivated${agents}: ${answer.credentials} credentials ended, ${answer.questions} questions closed, ${answer.invitations} invitations withdrawn.`,
  );
}

async function erase({ output }: Shell, handle: string, { json, org, yes }: OrganizationOption & { yes?: true }) {
  if (!yes)
    throw new UsageError(
      `This takes the name of ${handle} out of the database, for ever: it is not known any more who wrote what it wrote. Repeat with --yes.`,
    );
  const former = await asOperator(org, async (operator) => {
    if (await operator.store.read((tx) => isMember(tx, org, handle)))
      await operator.call(deactivateMember, { user_id: handle });
    return erasePerson(operator.store, org, handle, OPERATOR_AUTHOR);
  });
  if (json) return output.value({ erased: true, former });
  output.say(
    `What ${handle} wrote stays as ${former}'s; nothing here says who that was. Backups made before still do.`,
  );
}
