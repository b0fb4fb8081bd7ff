import type { KoaContextWithOIDC } from "oidc-provider";
import type { Reply } from "../exchange.ts";
import { writePage } from "../pages/frame.ts";
import { html } from "../pages/html.ts";
import { refusalPage } from "../pages/refusal-page.ts";
import type { Refusal } from "../refusal.ts";
import { destinationOf } from "./clients.ts";
import { inOurWords, type Told } from "./voice.ts";

/** One of the library's errors as a refusal of ours. */
export function asRefusal({ error, error_description }: Told, status: number, trace: string): Refusal {
  const [message = "", ...next] = error_description.split(/(?<=\.) /);
  const headers = { "cache-control": "no-store" };
  return { code: error, reply: { status, headers, body: "" }, told: { message, next: next.join(" "), trace } };
}

export function showRefusal(ctx: KoaContextWithOIDC, refusal: Refusal) {
  show(ctx, refusalPage(refusal));
}

/**
 * Shows an error that the library would send back to the client at once. Anybody can register a client, so a link to this hub
 * would lead wherever its maker wanted: the browser goes on only when its person presses.
 *
 * @source RFC 9700 4.11.2, "Authorization Server as Open Redirector".
 */
export function showWayBack(ctx: KoaContextWithOIDC, location: string, trace: string) {
  const address = new URL(location);
  const { error_description: told } = inOurWords(
    address.searchParams.get("error") ?? "",
    address.searchParams.get("error_description") ?? "",
  );
  ctx.remove("location");
  const page = {
    title: "Not understood",
    status: 400,
    narrow: true,
    body: html`<h1>Not understood</h1>
<p class="lead">${told}</p>
<p class="note">The client is told of it when you go back to it: <a href="${location}"><bdi>${destinationOf(location).host}</bdi></a></p>
<p class="quiet">Trace <code>${trace}</code></p>`,
  };
  show(ctx, writePage(page));
}

function show(ctx: KoaContextWithOIDC, { status, headers, body }: Reply) {
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) ctx.set(name, value);
  ctx.body = body;
}
