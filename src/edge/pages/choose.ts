import { HubError } from "../../core/errors.ts";
import type { PageOperations } from "../../page-operations.ts";
import type { Reply, Route } from "../exchange.ts";
import { showName } from "./approve-text.ts";
import { hiddenField } from "./fields.ts";
import { note, seeOther, tokenField } from "./frame.ts";
import { html, type Html } from "./html.ts";
import type { PersonVisit, Visits } from "./visit.ts";

/**
 * `/choose`: a person answers a question by one of its options. The option becomes the draft, and then waits on its own page to
 * be approved, where all of it is seen: a button of a list alone sends nothing.
 */
export function chooseRoutes(visits: Visits, { proposeResponse, sendResponse }: PageOperations): Route[] {
  async function choose(visit: PersonVisit): Promise<Reply> {
    const { form } = visit;
    const message_id = Number(form.get("question"));
    try {
      await visit.perform(proposeResponse, { message_id, draft_text: form.get("option") ?? "" });
      const sent = await visit.perform(sendResponse, { message_id });
      return seeOther(sent.approval_id === undefined ? "/approve" : `/approve/${sent.approval_id}`);
    } catch (error) {
      if (error instanceof HubError && error.status < 500) return showRefusal(visit, error);
      throw error;
    }
  }
  return [visits.personRoute("POST", "/choose", choose)];
}

/** A button for each option of a question. */
export function optionButtons(formToken: string, question: number, options: readonly string[] = []): Html | undefined {
  if (options.length === 0) return undefined;
  return html`<div class="choices">${options.map(
    (option) => html`<form method="post" action="/choose">
${tokenField(formToken)}${hiddenField("question", String(question))}${hiddenField("option", option)}
<button>${showName(option)}</button>
</form>`,
  )}</div>`;
}

function showRefusal(visit: PersonVisit, { message, status }: HubError): Reply {
  return visit.show({
    title: "Error: not drafted",
    status,
    body: html`<h1>Not drafted</h1>
${note("bad", message)}
<p><a href="/waiting">What waits for you</a></p>`,
  });
}
