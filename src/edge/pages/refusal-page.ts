import type { Refusal } from "../refusal.ts";
import { html } from "./html.ts";
import { writePage } from "./frame.ts";
import type { Reply } from "../exchange.ts";

/** What a refusal is called, by its status. */
const TITLES: Readonly<Record<number, string>> = {
  401: "Not signed in",
  403: "Not allowed",
  404: "Not here",
  405: "Not this way",
  409: "Not possible now",
  410: "Over",
  413: "Too large",
  429: "Too many attempts",
};

const WHERE_TO = html`Check the address, or go to <a href="/waiting">what waits for you</a>.`;

/** A refusal for somebody before a browser: the same facts as in JSON. */
export function refusalPage({ code, reply, told: { message, next, trace } }: Refusal): Reply {
  const { status, headers } = reply;
  const title = TITLES[status] ?? (status < 500 ? "Not understood" : "The hub could not");
  const { "content-type": _json, ...kept } = headers;
  return writePage({
    title,
    status,
    narrow: true,
    headers: kept,
    body: html`<h1>${title}</h1>
<p class="lead">${message}</p>
<p class="note">${code === "not_found" ? WHERE_TO : next}</p>
<p class="quiet">Trace <code>${trace}</code></p>`,
  });
}
