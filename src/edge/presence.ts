import type { Callers } from "../access/caller.ts";
import { fail } from "../core/errors.ts";
import type { Core } from "../core/execute.ts";
import { refuseRole } from "../core/roles.ts";
import { json, type Route } from "./exchange.ts";
import { sessionOf } from "./middleware.ts";
import { readInput } from "./rest.ts";

/** Paths that say of themselves that they live. A hook and a tool prove theirs by what they call. */
const PROVE_THEMSELVES = ["watch", "bridge"] as const;

/** `POST /v1/presence`: a watcher or bridge says every 20 s that it reaches a session. It renews no lease. */
export function presenceRoute({ admit }: Core, { prove }: Callers): Route {
  return {
    method: "POST",
    path: "/v1/presence",
    provesNothing: true,
    async run(ask) {
      await admit(ask.caller);
      refuseRole(ask.caller, "read");
      const { session: named, path: given, ...rest } = await readInput(ask);
      const [unknown] = Object.keys(rest);
      if (unknown !== undefined)
        throw fail("bad_input", { field: unknown.slice(0, 64), problem: "is not known; known are session, path" });
      const path = PROVE_THEMSELVES.find((known) => known === given);
      if (!path) throw fail("bad_input", { field: "path", problem: `must be one of ${PROVE_THEMSELVES.join(", ")}` });
      const session = named === undefined ? ask.caller.session : sessionOf(named, "session");
      await prove(ask.caller, session, path);
      return json(200, { ok: true, session, path });
    },
  };
}
