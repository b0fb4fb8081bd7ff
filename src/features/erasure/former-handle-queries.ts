import { hash } from "node:crypto";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** Whether this was the handle of somebody who was erased: nobody else may have it, or old mentions would come to another. */
export async function isFormerHandle(tx: Tx, organization: string, handle: string): Promise<boolean> {
  const row = await tx.one(sql`
    select hash
    from former_handles
    where organization = ${organization} and hash = ${digestOf(organization, handle)}`);
  return row !== undefined;
}

/** Remembers a handle without keeping it. */
export async function keepFormerHandle(tx: Tx, organization: string, handle: string): Promise<void> {
  await tx.run(sql`
    insert into former_handles (organization, hash)
    values (${organization}, ${digestOf(organization, handle)})`);
}

function digestOf(organization: string, handle: string): string {
  return hash("sha256", `${organization}/${handle}`, "hex");
}
