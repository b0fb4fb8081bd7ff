import type { Answer } from "./hub.ts";

/** A person's browser, as far as the story needs one: it keeps cookies and sends the forms that it was shown. */
export interface Browser {
  /** The session's cookie, as the hub set it. */
  readonly session: string;
  open(path: string): Promise<Page>;
  /** Sends the form that the page before has for this path. */
  submit(path: string, fields?: Readonly<Record<string, string>>): Promise<Page>;
  /** What a page of the console calls. */
  call(operation: string, input: Record<string, unknown>): Promise<Answer>;
}

/** `heading`: what stands at its top. */
export interface Page {
  readonly heading: string;
  readonly html: string;
}

/** @param home  the hub's address, read anew at each request. */
export function openBrowser(home: () => string): Browser {
  const cookies = new Map<string, string>();
  let shown = "";
  let session = "";

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const own = { cookie, origin: home(), "sec-fetch-site": "same-origin", "sec-fetch-dest": "document" };
    const answer = await fetch(home() + path, {
      redirect: "manual",
      ...init,
      headers: { ...own, ...(init.headers as Record<string, string> | undefined) }, // ours are plain objects
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
      if (name === "crewroom") session = line;
    }
    return answer;
  }

  async function show(answer: Response): Promise<Page> {
    const next = answer.headers.get("location");
    if (next !== null) return show(await ask(new URL(next, home()).pathname));
    shown = await answer.text();
    const [, heading = ""] = /<h1>(.*?)<\/h1>/s.exec(shown) ?? [];
    return { heading: heading.replaceAll(/<[^>]*>/g, ""), html: shown };
  }

  return {
    get session() {
      return session;
    },
    open: async (path) => show(await ask(path)),
    async submit(path, fields = {}) {
      const body = new URLSearchParams({ ...fieldsOf(shown, path), ...fields });
      return show(await ask(path, { method: "POST", body }));
    },
    async call(operation, input) {
      const headers = { "content-type": "application/json" };
      const answer = await ask(`/api/${operation}`, { method: "POST", headers, body: JSON.stringify(input) });
      return (await answer.json()) as Answer; // our own API answers objects
    },
  };
}

/** What the page's form for a path would send as it stands. */
function fieldsOf(html: string, path: string): Record<string, string> {
  const form = html.split("<form ").find((part) => part.includes(`action="${path}"`)) ?? "";
  const inside = form.slice(0, form.indexOf("</form>"));
  const inputs = [...inside.matchAll(/<input ([^>]*)>/g)].map(([, written = ""]) => [
    attribute(written, "name"),
    attribute(written, "value"),
  ]);
  const choices = [...inside.matchAll(/<select ([^>]*)>\s*<option ([^>]*)>/g)].map(([, select = "", option = ""]) => [
    attribute(select, "name"),
    attribute(option, "value"),
  ]);
  return Object.fromEntries([...inputs, ...choices].filter(([name]) => name !== ""));
}

function attribute(written: string, name: string): string {
  const [, value = ""] = new RegExp(`(?:^| )${name}="([^"]*)"`).exec(written) ?? [];
  return value.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
