import type { PageOperations } from "../../page-operations.ts";
import type { Route } from "../exchange.ts";
import { approveRoutes } from "./approve.ts";
import { chooseRoutes } from "./choose.ts";
import { connectRoutes } from "./connect.ts";
import { COPY_SCRIPT, COPY_SCRIPT_PATH } from "./copy-script.ts";
import { assetRoute, styleRoutes } from "./frame.ts";
import { joinRoutes } from "./join.ts";
import { atLocalhost } from "./localhost.ts";
import { loginRoutes } from "./login.ts";
import { noticeRoutes } from "./notices.ts";
import { NOTICES_SCRIPT, NOTICES_SCRIPT_PATH, NOTICES_WORKER, NOTICES_WORKER_PATH } from "./notices-script.ts";
import { PASSKEY_SCRIPT, PASSKEY_SCRIPT_PATH } from "./passkey-script.ts";
import { passkeyRoutes } from "./passkeys.ts";
import { passwordRoutes } from "./password.ts";
import { sessionRoutes } from "./sessions.ts";
import type { Visits } from "./visit.ts";

/** Everything for people before a browser. It works without script; only passkeys and push need some. */
export function pageRoutes(visits: Visits, operations: PageOperations, hub: { readonly url: string }): Route[] {
  const pages = [
    ...loginRoutes(visits, operations),
    ...joinRoutes(visits, operations),
    ...connectRoutes(visits, operations, hub),
    ...passwordRoutes(visits, operations),
    ...sessionRoutes(visits, operations),
    ...approveRoutes(visits, operations, hub),
    ...chooseRoutes(visits, operations),
    ...passkeyRoutes(visits, operations),
    ...noticeRoutes(visits, operations),
  ];
  return [
    ...styleRoutes,
    assetRoute(PASSKEY_SCRIPT_PATH, "text/javascript", PASSKEY_SCRIPT),
    assetRoute(NOTICES_SCRIPT_PATH, "text/javascript", NOTICES_SCRIPT),
    assetRoute(NOTICES_WORKER_PATH, "text/javascript", NOTICES_WORKER),
    assetRoute(COPY_SCRIPT_PATH, "text/javascript", COPY_SCRIPT),
    ...pages.map(atLocalhost),
  ];
}
