import { printable } from "../../core/frame.ts";
import { html, type Html, type Shown } from "./html.ts";

/**
 * A text as whoever approves it must see it: every character that shows nothing or turns the reading direction is written
 * out and marked, and beside every address that leads elsewhere than it seems stands the host it leads to. Nothing is left
 * out and nothing can be clicked.
 */
export function showWhole(text: string): Html {
  const shown: Shown[] = [];
  let end = 0;
  for (const { 0: written, index } of text.matchAll(ADDRESS)) {
    const host = hostBehind(written);
    if (host === undefined) continue;
    shown.push(showHidden(text.slice(end, index + written.length)), html`<span class="leads">leads to ${host}</span>`);
    end = index + written.length;
  }
  return html`${shown}${showHidden(text.slice(end))}`;
}

/** A name or another short text of others, on one line and closed off, so that it turns nothing around it. */
export function showName(text: string): Html {
  return html`<bdi>${showHidden(text.replace(/\s+/g, " "))}</bdi>`;
}

/** An address with a scheme, or a name with a dot that ends in letters, as those of the web do. */
const ADDRESS =
  /[a-z][a-z0-9+.-]*:\/\/[^\s<>"'`]+|(?<![\p{L}\p{N}.-])(?:[\p{L}\p{M}\p{N}-]+\.)+\p{L}{2,24}(?![\p{L}\p{N}])/giu;
const AUTHORITY = /^[^:]+:\/\/([^/?#\\]*)/;

/** Two sentences with no space between them, in a script without our letters, are no address. */
const NO_NAME = /^[^a-z:]*$/i;

/** Where a browser would go with an address, if that is not what stands there. */
function hostBehind(written: string): string | undefined {
  if (NO_NAME.test(written)) return undefined;
  const authority = AUTHORITY.exec(written)?.[1] ?? written;
  // What we read an address as, a browser reads it as: special schemes alone have hosts of names.
  const url = URL.parse(`http://${authority.replace(/^.*:\/\//, "")}`);
  const host = url?.host;
  return host === undefined || host === authority.toLowerCase() || host === "" ? undefined : host;
}

/** Enough empty lines to push what follows out of sight. */
const BLANK_LINES = /\n(?:[^\S\n]*\n){4,}/g;

/** Before a run of empty lines stands how long it is: whoever reads on past it knows that something follows. */
function showHidden(text: string): Shown {
  const shown: Shown[] = [];
  let end = 0;
  for (const { 0: run, index } of text.matchAll(BLANK_LINES)) {
    const count = run.split("\n").length - 2;
    shown.push(
      showCharacters(text.slice(end, index)),
      html`<span class="leads">${count} empty lines, then more</span>`,
      run,
    );
    end = index + run.length;
  }
  return [...shown, showCharacters(text.slice(end))];
}

function showCharacters(text: string): Shown {
  if (printable(text) === text) return text;
  const shown: Shown[] = [];
  let plain = "";
  for (const character of text) {
    const written = printable(character);
    if (written === character) plain += character;
    else {
      shown.push(plain, html`<mark class="hidden">${written}</mark>`);
      plain = "";
    }
  }
  return [...shown, plain];
}
