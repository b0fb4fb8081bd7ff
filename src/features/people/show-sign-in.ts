import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { listOrganizations } from "../organizations/queries.ts";

export const showSignIn = defineOperation({
  name: "show_sign_in",
  title: "Show the sign-in",
  description: "What the sign-in page shows: the organization, where there is only one.",
  kind: "query",
  needs: "anyone",
  errors: [],
  input: z.strictObject({}),
  output: z.strictObject({ organization: z.string().nullable() }),
  example: {},
  async run({ tx }) {
    const [first, second] = await listOrganizations(tx);
    return { organization: first && !second ? first.id : null };
  },
});
