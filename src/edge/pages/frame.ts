import { hash } from "node:crypto";
import type { Reply, Route } from "../exchange.ts";
import { html, type Html, type Shown, textOf } from "./html.ts";
import { COLOURS_STYLE, STYLE } from "./look.ts";

/** What a page has of its own; the frame around it is the same for all. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Who is signed in, with the token of its form that signs out. */
  readonly who?:
    | { readonly handle: string; readonly organization: string; readonly formToken: string; readonly home: string }
    | undefined;
  /** Little on it: one form, one message. */
  readonly narrow?: boolean;
  /** Where else a form's answer may lead to, as origins: browsers check redirects too. */
  readonly formsLeadTo?: readonly string[];
  /** Addresses of our own scripts. A page has none, and may run none, unless it says so. */
  readonly scripts?: readonly string[];
  readonly headers?: Reply["headers"];
}

export const STYLE_PATH = "/assets/pages.css";
export const COLOURS_PATH = "/assets/colours.css";

/** A whole page, for its reader alone. */
export function writePage(page: Page): Reply {
  const { title, body, status = 200, who, narrow = false, scripts = [], headers } = page;
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Crewroom</title>
        <link rel="stylesheet" href="${STYLE_PATH}" />
        ${scripts.map((path) => html`<script type="module" src="${path}"></script>`)}
      </head>
      <body>
        <header class="top"><a class="mark" href="${who?.home ?? "/"}">Crewroom</a>${who && topLinks(who)}</header>
        <main class="${narrow ? "narrow" : ""}">${body}</main>
      </body>
    </html> `;
  return { status, headers: { ...headersOf(page), ...headers }, body: textOf(text) };
}

function topLinks({ handle, organization, formToken, home }: NonNullable<Page["who"]>): Html {
  return html`<span class="quiet"><bdi>${handle}</bdi> in <bdi>${organization}</bdi></span>
    <nav aria-label="Your account">
    <a href="${home}">${home === "/ui" ? "Home" : "Waiting"}</a>
    <a href="/sessions">Sign-ins</a>
    <a href="/password">Password</a>
    <form method="post" action="/logout">${tokenField(formToken)}<button class="link">Sign out</button></form>
  </nav>`;
}

/** What every form of ours carries: it was made for this browser. */
export function tokenField(formToken: string): Html {
  return html`<input type="hidden" name="form_token" value="${formToken}" />`;
}

/** A sentence that stands out: `bad` for what went wrong, `warn` for what to look at, `good` for what was done. */
export function note(kind: "bad" | "warn" | "good", says: Shown): Html {
  return html`<p class="note ${kind}" role="${kind === "bad" ? "alert" : "note"}">${says}</p>`;
}

function headersOf({ formsLeadTo = [], scripts = [] }: Page): Reply["headers"] {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    ...(scripts.length > 0 ? ["script-src 'self'"] : []),
    `form-action ${["'self'", ...formsLeadTo].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    // Not `no-referrer`: with that, browsers send `Origin: null` with forms.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}

/** Sends the browser on after a form, by GET. */
export function seeOther(path: string, headers?: Reply["headers"]): Reply {
  return { status: 303, headers: { location: path, "cache-control": "no-store", ...headers }, body: "" };
}

/** Something that every page may load: kept by browsers, and asked about each time. */
export function assetRoute(path: string, type: string, body: string): Route {
  const etag = `"${hash("sha256", body, "base64url").slice(0, 27)}"`;
  const headers = {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-cache",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    etag,
  };
  return {
    method: "GET",
    path,
    open: true,
    run: ({ headers: { "if-none-match": known } }) =>
      known?.includes(etag) ? { status: 304, headers, body: "" } : { status: 200, headers, body },
  };
}

export const styleRoutes = [
  assetRoute(STYLE_PATH, "text/css", STYLE),
  assetRoute(COLOURS_PATH, "text/css", COLOURS_STYLE),
];
