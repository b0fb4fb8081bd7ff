// Who asks and who is asked in the measurements of questions, and who signs in: pairs of persons, each with an agent.
import { sql } from "../src/store/sql.ts";
import type { Store } from "../src/store/store.ts";
import { addMember, addPerson, PASSWORD, signInAs } from "../src/testkit/cast.ts";
import { passwords } from "./passwords.ts";

const ROOMS = { rooms: ["lobby"] };

/**
 * Seats `asker<n>` and `asked<n>`, each with an agent `<handle>bot`; their password is the cast's, as dear to check as in
 * production. Gives everybody's token, and the secret of a person's browser as `<handle> web`.
 */
export async function seatPairs(store: Store, count: number): Promise<[string, string][]> {
  const handles = Array.from({ length: count }, (_, index) => [`asker${index}`, `asked${index}`]).flat();
  const password = await passwords.hash(PASSWORD);
  return store.write("main", async (tx) => {
    const made: [string, string][] = [];
    for (const handle of handles) {
      made.push([handle, await addPerson(tx, "main", handle, ROOMS)]);
      made.push([`${handle}bot`, await addMember(tx, "main", `${handle}bot`, ROOMS, handle)]);
      made.push([`${handle} web`, await signInAs(tx, "main", handle, "web")]);
    }
    await tx.run(sql`update persons set password_hash = ${password} where organization = 'main'`);
    return made;
  });
}
