import { ulid } from "ulid";
import { z } from "zod";
import { makeToken } from "../../access/tokens.ts";
import { HUB } from "../../core/event-log.ts";
import { defineOperation } from "../../core/operation.ts";
import { insertInvitation, withdrawInvitations } from "./invitation-queries.ts";
import { countPersons } from "./person-queries.ts";

const DAY = 86_400_000;

/** What a server does when it starts and nobody can sign in yet. The link of the start before stops working. */
export const inviteFirstAdministrator = defineOperation({
  name: "invite_first_administrator",
  title: "Invite the first administrator",
  description: "Makes a link, good for a day, by which the first administrator joins; none once there is a person.",
  kind: "command",
  needs: "organization_admin",
  input: z.object({}),
  output: z.object({ link: z.string().nullable() }),
  errors: [],
  secretFields: ["link"],
  example: {},

  async run({ tx, caller, emit, settings }) {
    const { organization } = caller;
    if ((await countPersons(tx, organization)) > 0) return { link: null };
    for (const { id } of await withdrawInvitations(tx, organization, [HUB]))
      emit({ kind: "person_invited", detail: `${id} withdrawn`, actor: HUB });
    const secret = makeToken("inv");
    const id = ulid(tx.now).toLowerCase();
    await insertInvitation(tx, {
      organization,
      id,
      secret,
      purpose: "join",
      handle: null,
      name: "",
      role: "admin",
      question: null,
      createdBy: HUB,
      expiresAt: tx.now + DAY,
    });
    emit({ kind: "person_invited", detail: `${id} for the first administrator`, actor: HUB });
    return { link: `${settings.url}/join/${secret}` };
  },
});
