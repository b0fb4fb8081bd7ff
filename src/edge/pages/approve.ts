import { siteOf } from "../../access/passkeys.ts";
import { fail, HubError } from "../../core/errors.ts";
import type { PageOperations } from "../../page-operations.ts";
import type { Reply, Route } from "../exchange.ts";
import { approvePage } from "./approve-page.ts";
import { showName, showWhole } from "./approve-text.ts";
import { optionButtons } from "./choose.ts";
import { seeOther } from "./frame.ts";
import { html, type Html, type Shown } from "./html.ts";
import { moment } from "./moment.ts";
import type { PersonVisit, Visits } from "./visit.ts";

/** `/approve`: what waits for a person, and each request with its one button. */
export function approveRoutes(visits: Visits, operations: PageOperations, hub: { readonly url: string }): Route[] {
  const { showApproval, approveAnswer, rejectDraft, getUserProfile, listPasskeys } = operations;

  async function show(visit: PersonVisit, refusal?: HubError): Promise<Reply> {
    const approval = await visit.perform(showApproval, { approval_id: idIn(visit) });
    const { passkeys } = await visit.perform(listPasskeys, {});
    const askerName = await nameOf(visit, approval.from_user_id);
    const { formToken } = visit;
    // Pressed a second time, the first has done it.
    const trouble = approval.state === "approved" ? undefined : refusal;
    const waiting = { approval, askerName, formToken, passkeys, site: siteOf(hub.url)?.id };
    return visit.show({
      ...approvePage(waiting, trouble && (SAID_HERE[trouble.code] ?? trouble.message)),
      ...(trouble && { status: trouble.status }),
    });
  }

  async function nameOf(visit: PersonVisit, handle: string): Promise<string | undefined> {
    try {
      return (await visit.perform(getUserProfile, { user_id: handle })).profile.name;
    } catch (error) {
      // Agents ask too, and those who left keep nothing but their handle.
      if (error instanceof HubError && error.code === "person_not_found") return undefined;
      throw error;
    }
  }

  /** Does what was pressed, and goes on to the page as it is then; what could not be done is told on the page itself. */
  function pressed(press: (visit: PersonVisit) => Promise<unknown>): (visit: PersonVisit) => Promise<Reply> {
    return async (visit) => {
      try {
        await press(visit);
        return seeOther(`/approve/${idIn(visit)}`);
      } catch (error) {
        if (error instanceof HubError && error.status < 500) return show(visit, error);
        throw error;
      }
    };
  }

  const approve = pressed((visit) => {
    const { form } = visit;
    const [hash = "", share = ""] = (form.get("share") ?? "").split(" ");
    const assertion = form.get("passkey");
    return visit.perform(approveAnswer, { approval_id: idIn(visit), hash, share, ...(assertion && { assertion }) });
  });
  const reject = pressed((visit) =>
    visit.perform(rejectDraft, { approval_id: idIn(visit), reason: visit.form.get("reason") ?? "" }),
  );
  return [
    visits.personRoute("GET", "/approve", (visit) => showList(visit, operations)),
    visits.personRoute("GET", "/approve/{approval}", (visit) => show(visit)),
    visits.personRoute("POST", "/approve/{approval}", approve),
    visits.personRoute("POST", "/approve/{approval}/reject", reject),
  ];
}

/** What a refusal says to somebody who pressed a button, where its own sentence is for programs. */
const SAID_HERE: Readonly<Record<string, Shown>> = {
  approval_changed:
    "The text, or who gets it, was changed since this page was shown. This is what it is now; nothing was sent.",
  approval_stale: "More than 15 minutes went by, so the text is shown again. Nothing was sent yet.",
};

/** An id that is too long to be one is no other than an unknown one. */
function idIn({ ask }: PersonVisit): string {
  const id = ask.params["approval"] ?? "";
  if (!/^\w[\w-]{0,63}$/.test(id)) throw fail("approval_not_found", { approval: id.slice(0, 64) });
  return id;
}

async function showList(visit: PersonVisit, { listApprovals, checkInbox }: PageOperations): Promise<Reply> {
  const since_id = Number(/^\d{1,9}$/.exec(visit.query.get("after") ?? "")?.[0] ?? 0);
  const { approvals, has_more, next } = await visit.perform(listApprovals, { since_id });
  const inbox = await visit.perform(checkInbox, { since_id });
  const unanswered = inbox.pending.filter(({ status }) => status !== "awaiting_approval");
  // The shorter of the two: then nothing is passed over, though some may be shown twice.
  const after = Math.min(...[next, inbox.next].flatMap((page) => page?.since_id ?? []));
  return visit.show({
    title: "Waiting for you",
    body: html`<h1>Waiting for you</h1>
${approvals.length + unanswered.length === 0 && nothing(since_id)}
${
  approvals.length > 0 &&
  html`<h2>Answers to approve</h2>
<ul class="rows">${approvals.map((one) =>
    row(
      one.text,
      html`for ${showName(one.from_user_id)}, ${moment(one.requested_at)}`,
      html`<a class="button" href="/approve/${one.approval_id}">Look and approve</a>`,
    ),
  )}</ul>`
}
${
  unanswered.length > 0 &&
  html`<h2>Questions to you</h2>
<ul class="rows">${unanswered.map((one) =>
    row(
      one.query_text,
      html`from ${showName(one.from_user_id)}, ${moment(one.created_at)}${one.draft_response !== null && ", drafted"}`,
      optionButtons(visit.formToken, one.id, one.options),
    ),
  )}</ul>
<p class="note">Your agent drafts the answers: ask it for your inbox. <a href="/connect">Connect one</a></p>`
}
${(has_more || inbox.has_more) && html`<p><a href="/approve?after=${after}">More</a></p>`}`,
  });
}

function nothing(after: number): Html {
  return html`<p class="lead">Nothing${after > 0 ? " more" : ""} waits for you. When somebody asks you something, and when your agent has drafted an answer, it is here.</p>
<p class="note"><a href="/connect">Connect your coding agent</a></p>`;
}

/** The beginning of a text is enough to know it by; it is approved on a page that shows all of it. */
const GLIMPSE = 160;

function row(text: string, about: Html, action?: Html): Html {
  const glimpse = Array.from(text).slice(0, GLIMPSE).join("");
  return html`<li><div><p class="text glimpse" dir="auto">${showWhole(glimpse === text ? text : `${glimpse}…`)}</p><p class="quiet">${about}</p></div>${action}</li>`;
}
