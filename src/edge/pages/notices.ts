import type { z } from "zod";
import { HubError } from "../../core/errors.ts";
import type { PageOperations } from "../../page-operations.ts";
import type { Reply, Route } from "../exchange.ts";
import { showName } from "./approve-text.ts";
import { hiddenField, textField } from "./fields.ts";
import { note, seeOther, tokenField } from "./frame.ts";
import { html, type Html } from "./html.ts";
import { moment } from "./moment.ts";
import { NOTICES_SCRIPT_PATH } from "./notices-script.ts";
import type { PersonVisit, Visits } from "./visit.ts";

type Told = z.output<PageOperations["listNotices"]["output"]>;
type Channel = Told["notices"][number]["channel"];

/**
 * `/notices`: how a person is told when it is away; only the browser's own push needs script. `/waiting`: where notices lead,
 * which is wherever this person begins.
 */
export function noticeRoutes(visits: Visits, { listNotices, addNotice, removeNotice }: PageOperations): Route[] {
  async function show(visit: PersonVisit, refusal?: HubError): Promise<Reply> {
    const told = await visit.perform(listNotices, {});
    return visit.show({
      title: refusal ? "Error: being told" : "Being told",
      status: refusal?.status ?? 200,
      scripts: [NOTICES_SCRIPT_PATH],
      body: html`<h1>Being told when you are away</h1>
<p class="lead">That a question or a draft waits for you, and that yours was answered. A notice says which page to open: no names, no texts.</p>
${refusal && note("bad", refusal.message)}
<ul class="rows">${told.notices.map((notice) => noticeRow(visit, notice))}</ul>
${pushForm(visit, told)}
${addressForm(visit)}`,
    });
  }

  function done(act: (visit: PersonVisit) => Promise<unknown>): (visit: PersonVisit) => Promise<Reply> {
    return async (visit) => {
      try {
        await act(visit);
        return seeOther("/notices");
      } catch (error) {
        if (error instanceof HubError && error.status < 500) return show(visit, error);
        throw error;
      }
    };
  }
  return [
    visits.personRoute("GET", "/waiting", (visit) => Promise.resolve(seeOther(visit.home))),
    visits.personRoute("GET", "/notices", (visit) => show(visit)),
    visits.personRoute(
      "POST",
      "/notices",
      done((visit) => visit.perform(addNotice, readNotice(visit))),
    ),
    visits.personRoute(
      "POST",
      "/notices/remove",
      done((visit) => visit.perform(removeNotice, { notice_id: visit.form.get("notice_id") ?? "" })),
    ),
  ];
}

const CHANNELS: Readonly<Record<Channel, string>> = {
  ntfy: "ntfy",
  slack: "Webhook",
  web_push: "Browser",
};

function noticeRow({ formToken }: PersonVisit, notice: Told["notices"][number]): Html {
  const { id, channel, host, label, created_at, state, problem } = notice;
  return html`<li><div><p>${CHANNELS[channel]}${label !== "" && html`: ${showName(label)}`}</p>
<p class="quiet">${host}, since ${moment(created_at)}${state !== "working" && html` <strong>(${state}: ${problem ?? ""})</strong>`}</p></div>
<form method="post" action="/notices/remove">${tokenField(formToken)}${hiddenField("notice_id", id)}<button>Remove</button></form></li>`;
}

function pushForm({ formToken }: PersonVisit, { push_key }: Told): Html {
  return html`<form class="card" method="post" action="/notices" data-push="${push_key}" hidden>
<h2>In this browser</h2>
${tokenField(formToken)}${hiddenField("channel", "web_push")}${hiddenField("address", "")}${hiddenField("label", "this browser")}
<button class="main">Tell me in this browser</button>
<p class="quiet" data-trouble role="status"></p>
</form>`;
}

function addressForm({ formToken }: PersonVisit): Html {
  return html`<form class="card" method="post" action="/notices">
<h2>By an address</h2>
${tokenField(formToken)}
<label for="channel">How</label>
<select id="channel" name="channel"><option value="ntfy">ntfy, on a phone</option><option value="slack">A webhook as Slack has it</option></select>
${textField({ name: "address", label: "Address", hint: "A topic of ntfy that nobody guesses, or the webhook's. Whoever knows it can send there too." })}
${textField({ name: "label", label: "What you call it", optional: true })}
<button class="main">Add</button>
</form>`;
}

function readNotice({ form }: PersonVisit) {
  const channel = form.get("channel") as Channel; // the operation refuses any other
  return { channel, address: form.get("address") ?? "", label: form.get("label") ?? "" };
}
