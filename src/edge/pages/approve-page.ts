import type { z } from "zod";
import { challengeOf } from "../../access/passkeys.ts";
import type { Level } from "../../features/approval/model.ts";
import type { PageOperations } from "../../page-operations.ts";
import { showName, showWhole } from "./approve-text.ts";
import { textField } from "./fields.ts";
import { note, type Page, tokenField } from "./frame.ts";
import { html, type Html, type Shown } from "./html.ts";
import { moment } from "./moment.ts";
import { PASSKEY_SCRIPT_PATH } from "./passkey-script.ts";

/** What `/approve/<id>` shows. */
export interface Waiting {
  readonly approval: z.output<PageOperations["showApproval"]["output"]>;
  /** The name of who asked, unless it is an agent. */
  readonly askerName: string | undefined;
  readonly formToken: string;
  /** What the person can sign with. */
  readonly passkeys: readonly { readonly id: string }[];
  /** The site that passkeys hold for; undefined where there are none. */
  readonly site: string | undefined;
}

/** A request for approval as it stands: open with its one button, or what became of it. `trouble`: why the last press sent nothing. */
export function approvePage(waiting: Waiting, trouble?: Shown): Omit<Page, "who"> {
  const { approval } = waiting;
  const isOpen = approval.state === "open";
  const title = approval.state === "open" ? "Approve your answer?" : ENDED[approval.state].title;
  const signs = isOpen && waiting.passkeys.length > 0 && waiting.site !== undefined;
  return {
    title: trouble ? `Not sent: ${title}` : title,
    ...(signs && { scripts: [PASSKEY_SCRIPT_PATH] }),
    body: html`<h1>${title}</h1>
${trouble && note("bad", trouble)}
${approval.state !== "open" && ended(approval.state)}
${theQuestion(waiting)}
<h2>${isOpen ? "Your answer, word for word" : "The text"}</h2>
<div class="text answer" dir="auto">${showWhole(approval.text)}</div>
${remarks(approval)}
${isOpen && decision(waiting, signs)}`,
  };
}

const ENDED = {
  approved: { title: "Sent", says: "You approved exactly this text, and it was delivered. It cannot be sent again." },
  rejected: { title: "Rejected", says: "You rejected this draft; nothing was sent. Your agent may write another." },
  void: { title: "No longer open", says: "The draft was replaced, or the question is over; nothing was sent by this." },
} as const;

function ended(state: keyof typeof ENDED): Html {
  return note(
    state === "approved" ? "good" : "warn",
    html`${ENDED[state].says} <a href="/waiting">What else waits for you</a>`,
  );
}

function theQuestion({ approval, askerName }: Waiting): Html {
  const { from_user_id, asked_by, asked_at, query_text, options, follows } = approval;
  const through = asked_by === from_user_id ? "" : html` through the agent ${showName(asked_by)}`;
  return html`<p class="lead">${whoAsked(from_user_id, askerName)} asked you${through}, ${moment(asked_at)}:</p>
<div class="text asked" dir="auto">${showWhole(query_text)}</div>
${
  options.length > 0 &&
  html`<p class="quiet">To choose from:</p>
<ol>${options.map((option) => html`<li dir="auto">${showWhole(option)}</li>`)}</ol>`
}
${
  follows &&
  html`<details open><summary>It follows up on this</summary>
<div class="text asked" dir="auto">${showWhole(follows.query_text)}</div>
<div class="text asked" dir="auto">${showWhole(follows.answer)}</div></details>`
}`;
}

function whoAsked(handle: string, name: string | undefined): Html {
  if (name === undefined) return html`The agent <strong>${showName(handle)}</strong>`;
  return html`<strong>${showName(name)}</strong> (${showName(handle)})`;
}

function remarks({ has_invisible, has_bidi, long, text }: Waiting["approval"]): Html {
  return html`${has_bidi && note("warn", "Characters in this text turn the reading direction. They are written out and marked here; read the text in this order.")}
${has_invisible && !has_bidi && note("warn", "Some characters in this text show nothing. They are written out and marked here.")}
${long && html`<p class="quiet">${Array.from(text).length.toLocaleString("en")} characters; this is all of it.</p>`}`;
}

/** From least to most. */
const LEVELS: readonly Level[] = ["asserted", "prompted", "confirmed", "signed"];
const PROVES: Record<Level, string> = {
  asserted: "your agent says so",
  prompted: "accepted in a prompt, which programs can forge",
  confirmed: "you pressed the button on this page, seeing the whole text",
  signed: "your passkey signed exactly this text",
};

function decision(waiting: Waiting, signs: boolean): Html {
  const { approval, formToken } = waiting;
  const { counts_as, minimum } = approval;
  const suffices = LEVELS.indexOf(counts_as) >= LEVELS.indexOf(minimum);
  const path = `/approve/${approval.approval_id}`;
  return html`${approval.password_exposed && exposed(waiting, suffices)}
<form method="post" action="${path}"${signs && html` data-passkey="sign" data-options="${signOptions(waiting)}"`}>
${tokenField(formToken)}<input type="hidden" name="passkey" value="">
${shares(approval)}
<dl>
<dt>Counts as</dt><dd>${counts_as}: ${PROVES[counts_as]}</dd>
<dt>Asked for here</dt><dd>${minimum} or more</dd>
<dt>Deadline</dt><dd>${moment(approval.expires_at)}</dd>
<dt>Written by</dt><dd>${showName(approval.requested_by)}</dd>
</dl>
${suffices && html`<button class="main">Approve and send</button>`}
${
  signs &&
  html`<button class="main" data-sign hidden>Sign with your passkey and send</button>
<p class="quiet" data-trouble role="status"></p>`
}
</form>
${!suffices && !approval.password_exposed && needsPasskey(signs)}
<p class="quiet">Nothing leaves before you press. This form holds until ${moment(approval.approvable_until)}; after that the text is shown again.</p>
<p class="quiet">Another word? <a href="/waiting">Change the text</a>, and look at it here once more.</p>
<details>
<summary>Reject this draft</summary>
<form method="post" action="${path}/reject">
${tokenField(formToken)}
${textField({ name: "reason", label: "Why, for your agent", hint: "It is not told to who asked.", optional: true })}
<button>Reject</button>
</form>
</details>`;
}

function exposed({ approval }: Waiting, suffices: boolean): Html {
  const { minimum, approval_id } = approval;
  const here = encodeURIComponent(`/approve/${approval_id}`);
  return note(
    "warn",
    html`Your password has passed through a tool, so others may know it: what you approve counts as prompted${!suffices && `, and ${minimum} is asked for here`}. <a href="/password?next=${here}">Choose a new password</a> and come back.`,
  );
}

function needsPasskey(signs: boolean): Html {
  return signs
    ? note("warn", "Here every answer is signed with a passkey. Your browser needs script for that.")
    : note(
        "warn",
        html`Here every answer is signed with a passkey. <a href="/passkeys">Register one</a> and come back.`,
      );
}

/** Whom it goes to. Each choice carries the hash that stands for the text with that choice. */
function shares({ shares, from_user_id }: Waiting["approval"]): Html {
  const said = (share: string) =>
    share === "no"
      ? `Only ${from_user_id}`
      : share === "organization"
        ? `${from_user_id} and everybody in the organization`
        : `${from_user_id} and room ${share.slice("room:".length)}`;
  return html`<label for="share">Who gets it</label>
<select id="share" name="share">
${shares.map(({ share, hash }) => html`<option value="${hash} ${share}" data-challenge="${challengeOf(hash)}">${said(share)}</option>`)}
</select>`;
}

function signOptions({ approval, passkeys, site }: Waiting): string {
  return JSON.stringify({
    challenge: challengeOf(approval.hash),
    rpId: site,
    allowCredentials: passkeys.map(({ id }) => ({ id, type: "public-key" })),
    userVerification: "required",
  });
}
