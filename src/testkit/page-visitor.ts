import { request as send } from "node:http";
import type { TestHub } from "./hub.ts";

/** A page as a browser without script has it. */
export interface VisitedPage {
  readonly status: number;
  /** The address that it came from, after redirects, without the host. */
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
  /** What a reader sees: no markup, character references read. */
  readonly text: string;
  /** Where each form goes, with what stands in it. */
  readonly forms: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** A browser that runs no script: it keeps cookies, follows redirects and sends forms as browsers do. */
export interface PageVisitor {
  readonly cookies: Map<string, string>;
  open(path: string): Promise<VisitedPage>;
  /** Fills in the form of the page before it that goes to `action`, and sends it. */
  submit(action: string, fields?: Readonly<Record<string, string>>): Promise<VisitedPage>;
  /** Sends what stands on no page. `headers` may spoil what a browser would say. */
  post(path: string, body: string, headers?: Readonly<Record<string, string | undefined>>): Promise<VisitedPage>;
}

interface VisitorOptions {
  readonly cookies?: Readonly<Record<string, string>>;
  /** What the browser believes to be at, through whatever proxy; `http://localhost:<port>` unless said. */
  readonly origin?: string;
  /** Whether pages led to from others are followed. */
  readonly follows?: boolean;
}

export function makeVisitor(
  hub: { readonly url: string },
  { cookies: kept = {}, origin = hub.url.replace("//127.0.0.1:", "//localhost:"), follows = true }: VisitorOptions = {},
): PageVisitor {
  const cookies = new Map(Object.entries(kept));
  let before: VisitedPage | undefined;

  async function visit(path: string, ask: Omit<Ask, "path"> = {}): Promise<VisitedPage> {
    const headers = {
      host: new URL(origin).host,
      "user-agent": "Mozilla/5.0 (X11; Linux x64; rv:140.0) Gecko/20100101 Firefox/140.0",
      "sec-fetch-dest": "document",
      ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }),
      ...ask.headers,
    };
    const answer = await exchange(hub.url, { ...ask, path, headers });
    for (const cookie of answer.headers.getSetCookie()) keep(cookies, cookie);
    const location = answer.headers.get("location")?.replace(origin, "");
    if (follows && location !== undefined) return visit(location);
    before = { ...answer, path, text: readText(answer.html), forms: readForms(answer.html) };
    return before;
  }

  const post: PageVisitor["post"] = (path, body, spoiled = {}) =>
    visit(path, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin,
        "sec-fetch-site": "same-origin",
        ...spoiled,
      },
    });
  return {
    cookies,
    open: (path) => visit(path),
    post,
    async submit(action, fields = {}) {
      const form = before?.forms.get(action);
      if (!form)
        throw new Error(`${before?.path} has no form to ${action}: ${[...(before?.forms.keys() ?? [])].join()}`);
      return post(action, new URLSearchParams({ ...form, ...fields }).toString());
    },
  };
}

/** A person of the cast before its browser, signed in. */
export async function visitAs(hub: TestHub, handle: string): Promise<PageVisitor> {
  const { token } = await hub.browser(handle);
  return makeVisitor(hub, { cookies: { crewroom: token } });
}

interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** One request as it stands: what is asked for through a proxy goes to the hub all the same. */
function exchange(url: string, { method = "GET", path, body = "", headers = {} }: Ask) {
  const said = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return new Promise<Pick<VisitedPage, "status" | "headers" | "html">>((resolve, reject) => {
    const asking = send(`${url}${path}`, { method, headers: said }, (answer) => {
      const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      let html = "";
      answer.setEncoding("utf8").on("data", (text: string) => (html += text));
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, headers: new Headers(pairs), html }));
    });
    asking.once("error", reject).end(body);
  });
}

function keep(cookies: Map<string, string>, header: string) {
  const [pair = "", ...attributes] = header.split("; ");
  const at = pair.indexOf("=");
  if (attributes.includes("Max-Age=0")) cookies.delete(pair.slice(0, at));
  else cookies.set(pair.slice(0, at), pair.slice(at + 1));
}

const unescape = (text: string) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

/** Tags that stand within a line. */
const INLINE = /<\/?(a|bdi|code|mark|span|strong|time)( [^>]*)?>/g;

function readText(html: string): string {
  const body = html
    .replace(/^[\s\S]*<body>/, "")
    .replace(INLINE, "")
    .replace(/<[^>]*>/g, " ");
  return unescape(body).replace(/\s+/g, " ").trim();
}

function readForms(html: string): VisitedPage["forms"] {
  const forms = [...html.matchAll(/<form [^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
  return new Map(forms.map(([, action = "", inside = ""]) => [unescape(action), readFields(inside)]));
}

/** What a browser would send of a form as it stands: every line, the first of each choice, and what is ticked. */
function readFields(inside: string): Record<string, string> {
  const pairs = [
    ...[...inside.matchAll(/<input ([^>]*)>/g)]
      .filter(([, written = ""]) => !/type="(radio|checkbox)"/.test(written) || / checked/.test(written))
      .map(([, written = ""]) => [attributeIn(written, "name"), attributeIn(written, "value")]),
    ...[...inside.matchAll(/<select ([^>]*)>\s*<option ([^>]*)>/g)].map(([, select = "", option = ""]) => [
      attributeIn(select, "name"),
      attributeIn(option, "value"),
    ]),
  ];
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}

function attributeIn(written: string, name: string): string {
  return unescape(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(written)?.[1] ?? "");
}
