import { fail } from "../../core/errors.ts";
import type { Reply, Route } from "../exchange.ts";
import { COLOURS_PATH } from "../pages/frame.ts";
import { html, textOf } from "../pages/html.ts";
import { atLocalhost } from "../pages/localhost.ts";
import type { TransportSettings } from "../pages/transport.ts";
import type { Visits } from "../pages/visit.ts";
import { assetPath, assetRoutes, type WebBuild } from "./assets.ts";

/** What observers without an account open, to type in their token: the page keeps it in its memory alone. */
export const WALL = "/ui/wall";

/**
 * `/ui` and `/admin`: one page that runs the console, for who is signed in; others sign in first. With `CREWROOM_CONSOLE=off` it
 * is not there, with `lan` only for those who come through no proxy.
 */
export function consoleRoutes(visits: Visits, build: WebBuild | undefined, settings: TransportSettings): Route[] {
  if (build === undefined || settings.CREWROOM_CONSOLE === "off") return [];
  const shell = writeShell(build);
  const show = async (path: string): Promise<Reply> => {
    // A file of another version: what is asked for is no page.
    if (path.startsWith(assetPath(""))) throw fail("not_found", { what: "such file" });
    return shell;
  };
  const pages = [
    visits.route("GET", WALL, ({ ask }) => show(ask.path)),
    ...["/ui", "/ui/*", "/admin", "/admin/*"].map((path) =>
      visits.personRoute("GET", path, ({ ask }) => show(ask.path)),
    ),
  ];
  const routes = [...assetRoutes(build), ...pages.map(atLocalhost)];
  return settings.CREWROOM_CONSOLE === "on" ? routes : routes.map((route) => ({ ...route, lanOnly: true }));
}

/** @source Trusted Types: W3C; with `'none'` no text ever becomes a script, whatever a page does with it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

function writeShell({ script, style }: WebBuild): Reply {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Crewroom</title>
        <link rel="stylesheet" href="${COLOURS_PATH}" />
        <link rel="stylesheet" href="${assetPath(style)}" />
        <script type="module" src="${assetPath(script)}"></script>
      </head>
      <body>
        <div id="app"></div>
        <noscript>
          <main><h1>Crewroom</h1><p>This page needs JavaScript. What waits for your approval is at <a href="/approve">/approve</a>, which works without.</p></main>
        </noscript>
      </body>
    </html> `;
  return { status: 200, headers: HEADERS, body: textOf(page) };
}
