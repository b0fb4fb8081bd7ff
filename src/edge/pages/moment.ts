import { html, type Html } from "./html.ts";

const DAY_AND_TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** A moment of the wire as people read it. Without script a page does not know its reader's zone, so it names its own. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}">${DAY_AND_TIME.format(new Date(iso))} UTC</time>`;
}
