import { type Command, Option } from "commander";
import type { z } from "zod";
import { listRoomsOfPerson } from "../access/queries.ts";
import { grantRoom } from "../features/people/grant-room.ts";
import { registerUser } from "../features/people/register-user.ts";
import { resetPassword } from "../features/people/reset-password.ts";
import { getRoomInfo } from "../features/rooms/get-room-info.ts";
import { asOperator } from "./operator.ts";
import { readPassword } from "./password-prompt.ts";
import { collect, type OrganizationOption, type Shell, withOrganization } from "./shell.ts";

interface PasswordOptions extends OrganizationOption {
  readonly passwordStdin?: true;
}
interface AddOptions extends PasswordOptions {
  readonly name?: string;
  readonly role: "member" | "admin";
  readonly room: readonly string[];
}
type Reset = z.output<typeof resetPassword.output>;

/** `person add|password`. */
export function addAccountCommands(person: Command, shell: Shell): void {
  withPassword(person.command("add").description("make a person, with a link by which it chooses a password"))
    .argument("<handle>")
    .option("--name <text>", "what it is called; the handle unless given")
    .addOption(new Option("--role <role>", "what it may do").choices(["member", "admin"]).default("member"))
    .option("--room <name>", "a room it may enter besides lobby; may be repeated", collect, [])
    .action((handle: string, options: AddOptions) => addPerson(shell, handle, options));
  withPassword(
    person
      .command("password")
      .description("end a person's password and sign-ins, with a link by which it chooses a new one")
      .argument("<handle>"),
  ).action((handle: string, options: PasswordOptions) => renewPassword(shell, handle, options));
}

function withPassword(command: Command): Command {
  return withOrganization(command).option(
    "--password-stdin",
    "set the one on standard input instead; you then know it too, and it approves nothing",
  );
}

async function addPerson({ output }: Shell, user_id: string, { json, org, name, role, room, ...rest }: AddOptions) {
  const password = await givenPassword(rest);
  const { profile, rooms, reset } = await asOperator(org, async (operator) => {
    // A slip in a room's name is told before there is a person.
    for (const named of room) await operator.call(getRoomInfo, {}, named);
    const made = await operator.call(registerUser, { user_id, name: name ?? user_id, role, password });
    for (const named of room) await operator.call(grantRoom, { user_id, room: named });
    return {
      profile: made.profile,
      rooms: await operator.store.read((tx) => listRoomsOfPerson(tx, org, user_id)),
      reset: password === undefined ? await operator.call(resetPassword, { user_id }) : undefined,
    };
  });
  const { link = null, expires_at = null } = reset ?? {};
  if (json)
    return output.value({
      added: true,
      user_id,
      name: profile.name,
      role,
      rooms: rooms.map((one) => one.name),
      link,
      expires_at,
    });
  output.say(`${user_id} is a person of ${org} now, with the role ${role}.`);
  if (reset) output.say(linkText(reset));
}

async function renewPassword({ output }: Shell, user_id: string, { json, org, ...rest }: PasswordOptions) {
  const password = await givenPassword(rest);
  const reset = await asOperator(org, (operator) => operator.call(resetPassword, { user_id, password }));
  if (json) return output.value(reset);
  output.say(`The password of ${user_id} is ${reset.link === null ? "another now" : "gone"}, and so are its sign-ins.`);
  if (reset.link !== null) output.say(linkText(reset));
}

async function givenPassword({ passwordStdin }: { readonly passwordStdin?: true }): Promise<string | undefined> {
  return passwordStdin ? readPassword("", true) : undefined;
}

function linkText({ user_id, link, expires_at }: Reset): string {
  return [
    `Send ${user_id} this link yourself; there it chooses a password:`,
    `  ${link}`,
    `It works once, until ${expires_at}, and is shown this once.`,
  ].join("\n");
}
