import { z } from "zod";
import { fitPage, PAGES } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { interaction, profile, toInteraction, toProfile } from "./profile-answer.ts";
import { findProfile, listInteractions } from "./profile-queries.ts";

export const whoami = defineOperation({
  name: "whoami",
  title: "Who you are",
  description: "Who your credential says you are, what it may do and where; a person's profile too.",
  kind: "query",
  needs: "read",
  input: z.object({}),
  output: z.object({
    org_id: z.string(),
    user_id: z.string(),
    kind: z.enum(["person", "agent"]),
    owner: z.string().nullable().describe("The person an agent acts for"),
    roles: z.array(z.string()),
    default_room: z.string().nullable(),
    rooms: z.array(z.string()),
    more_rooms: z.boolean(),
    profile: profile.nullable(),
    interactions: z.array(interaction),
    more_interactions: z.boolean(),
  }),
  errors: [],
  untrusted: ["profile.name", "profile.ownership[]", "profile.notes", "profile.profile_notes"],
  example: {},

  async run({ tx, caller, answerBytes }) {
    const { organization, handle } = caller;
    const person = caller.person === handle ? await findProfile(tx, organization, handle) : undefined;
    const page = PAGES.interactions.usual;
    const pairs = person ? await listInteractions(tx, { organization, person: handle, limit: page + 1 }) : [];
    // Each list may fill a third, so that the whole stays a page.
    const interactions = fitPage(pairs.map(toInteraction), page, answerBytes / 3);
    const rooms = fitPage([...caller.rooms.keys()], PAGES.rooms.usual, answerBytes / 3);
    return {
      org_id: organization,
      user_id: handle,
      kind: person ? ("person" as const) : ("agent" as const),
      owner: person ? null : (caller.person ?? null),
      roles: [...caller.roles],
      default_room: caller.defaultRoom?.name ?? null,
      rooms: [...rooms.page],
      more_rooms: rooms.hasMore,
      profile: person ? toProfile(person, caller) : null,
      interactions: [...interactions.page],
      more_interactions: interactions.hasMore,
    };
  },
});
