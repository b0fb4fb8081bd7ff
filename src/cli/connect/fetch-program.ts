import { createHash } from "node:crypto";
import type { Credentials } from "../../agent/credentials.ts";
import { reach, refusalOf } from "../../client/hub-client.ts";
import { UsageError } from "../exit-codes.ts";
import { inTime } from "./prove.ts";

/**
 * One of the programs that the hub hands out.
 *
 * @throws HubRefusal, HubUnreachable; UsageError when it did not come whole.
 */
export async function fetchProgram(credentials: Credentials, name: "hook" | "watch" | "bridge"): Promise<string> {
  const connection = { url: credentials.url, token: credentials.token };
  const { response, text } = await inTime(connection, async (signal) => {
    const found = await reach(connection, `/v1/${name}`, { method: "GET", signal });
    if (!found.ok) throw await refusalOf(connection, found);
    return { response: found, text: await found.text() };
  });
  const told = response.headers.get(`x-crewroom-${name}-sha256`);
  if (createHash("sha256").update(text).digest("hex") !== told)
    throw new UsageError(`The ${name} that ${credentials.url} hands out did not come whole: its digest is another.`);
  return text;
}
