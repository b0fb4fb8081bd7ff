import { html, type Html } from "./html.ts";

interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly hint?: string;
  /** What browsers and password keepers fill in by themselves. @source HTML Living Standard, "Autofill". */
  readonly autocomplete?: "organization" | "username" | "name" | "current-password" | "new-password" | "off";
  readonly optional?: true;
  /** Where reading begins: at most one on a page. */
  readonly first?: boolean;
}

/** A line to fill in. */
export function textField(field: Field): Html {
  return lineField("text", field);
}

export function passwordField(field: Omit<Field, "value">): Html {
  return lineField("password", field);
}

function lineField(type: "text" | "password", field: Field): Html {
  const { name, label, value = "", hint, autocomplete = "off", optional, first } = field;
  return html`<label for="${name}">${label}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<input type="${type}" id="${name}" name="${name}" value="${value}" autocomplete="${autocomplete}" autocapitalize="none" spellcheck="false"${hint && html` aria-describedby="${name}-hint"`}${!optional && html` required`}${first && html` autofocus`}>`;
}

/** What a form brings along unseen. */
export function hiddenField(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}
