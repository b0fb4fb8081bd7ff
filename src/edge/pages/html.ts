const MARKUP = Symbol("markup");

/** Markup that may stand on a page as it is. Only `html` makes it, so no text that came from outside can pass for it. */
export interface Html {
  readonly [MARKUP]: string;
}

/** What may stand in a template: text is escaped, markup is not, a list stands one after the other, nothing leaves nothing. */
export type Shown = string | number | Html | undefined | false | readonly Shown[];

/**
 * Writes markup. Every value is escaped for where it may stand: between tags, or in an attribute in double quotes.
 *
 * @example html`<a href="${path}">${title}</a>`
 */
export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Html {
  const written = parts.map((part, at) => {
    // Without quotes a space would end the value and begin another attribute.
    if (at < values.length && UNQUOTED.test(part)) throw new Error("A value in an attribute stands without quotes.");
    return part + write(values[at]);
  });
  return { [MARKUP]: written.join("") };
}

const UNQUOTED = /[\s"][\w-]+=$/;

/** The text of markup, to be sent. */
export function textOf(markup: Html): string {
  return markup[MARKUP];
}

function write(value: Shown): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escape(String(value));
  return MARKUP in value ? value[MARKUP] : value.map(write).join("");
}

/** A parser turns a carriage return into a new line, so it is written as what it is, too. */
const MEANS_SOMETHING = /[&<>"'`\r]/g;

function escape(text: string): string {
  return text.replace(MEANS_SOMETHING, (character) => `&#${character.charCodeAt(0)};`);
}
