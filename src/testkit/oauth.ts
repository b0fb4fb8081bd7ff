import { createHash, randomBytes } from "node:crypto";
import type { Actor } from "./actor.ts";

/** What an authorization server answers: JSON, whatever the status. */
export interface OAuthAnswer {
  readonly status: number;
  // An answer's shape is the test's business.
  // oxlint-disable-next-line no-explicit-any
  readonly body: Record<string, any>;
  readonly headers: Headers;
}

/** A client that signs people in, step by step, as a program would; and the browser it sends them to. */
export interface OAuthClient {
  readonly id: string;
  readonly redirect: string;
  readonly verifier: string;
  /** Parameters of an authorization request, with what is given instead. */
  request(given?: Readonly<Record<string, string | undefined>>): URLSearchParams;
  /** Has a person sign it in and agree. Gives where the browser ends: the redirect with a code, or with an error. */
  signIn(browser: Actor, choice?: Choice): Promise<URL>;
  token(form: Readonly<Record<string, string>>): Promise<OAuthAnswer>;
  /** From a code to tokens. */
  exchange(code: string, given?: Readonly<Record<string, string>>): Promise<OAuthAnswer>;
  refresh(token: string, given?: Readonly<Record<string, string>>): Promise<OAuthAnswer>;
  revoke(token: string): Promise<OAuthAnswer>;
}

/** What the person does on the page. */
export interface Choice {
  readonly scope?: string;
  readonly resource?: string;
  /** Boxes that stay ticked or are ticked; what is usual unless given. */
  readonly tick?: readonly string[];
  readonly deny?: true;
}

/** What a client has once a person let it in. */
export interface LetIn {
  readonly client: OAuthClient;
  readonly scope: string;
  readonly access: string;
  readonly refresh: string;
}

/** Registers a client and has a person of the cast let it in. */
export async function letIn(hub: Signing, handle: string, choice?: Choice): Promise<LetIn> {
  const client = await registerClient(hub.url);
  const answer = await client.signIn(await hub.browser(handle), choice);
  const { status, body } = await client.exchange(answer.searchParams.get("code") ?? "");
  if (status !== 200) throw new Error(`token: ${status} ${JSON.stringify(body)}`);
  return { client, scope: body["scope"], access: body["access_token"], refresh: body["refresh_token"] };
}

interface Signing {
  readonly url: string;
  browser(handle: string): Promise<Actor>;
}

export async function postForm(url: string, form: Readonly<Record<string, string>>): Promise<OAuthAnswer> {
  return answerOf(await fetch(url, { method: "POST", body: new URLSearchParams(form) }));
}

export async function register(url: string, metadata: object): Promise<OAuthAnswer> {
  const headers = { "content-type": "application/json" };
  return answerOf(await fetch(`${url}/oauth/register`, { method: "POST", headers, body: JSON.stringify(metadata) }));
}

/** Registers a client like those of coding agents. */
export async function registerClient(url: string, redirect = "http://localhost:41999/callback"): Promise<OAuthClient> {
  const { status, body } = await register(url, { client_name: "Test client", redirect_uris: [redirect] });
  if (status !== 201) throw new Error(`register: ${status} ${JSON.stringify(body)}`);
  return clientOf(url, body["client_id"], redirect);
}

export function clientOf(url: string, id: string, redirect: string): OAuthClient {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const token = (form: Readonly<Record<string, string>>) => postForm(`${url}/oauth/token`, form);

  function request(given: Readonly<Record<string, string | undefined>> = {}): URLSearchParams {
    const usual = {
      response_type: "code",
      client_id: id,
      redirect_uri: redirect,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: "a state",
      resource: `${url}/mcp`,
    };
    const all = Object.entries({ ...usual, ...given });
    return new URLSearchParams(all.filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  return {
    id,
    redirect,
    verifier,
    request,
    token,
    async signIn(browser, { scope, resource, tick, deny } = {}) {
      const asked = request({ scope, ...(resource !== undefined && { resource }) });
      const visit = openVisit(url, browser);
      const page = await visit.get(`/oauth/authorize?${asked.toString()}`);
      const boxes = tick ?? ["hub:write"];
      return visit.send(page, {
        decision: deny ? "deny" : "allow",
        ...Object.fromEntries(boxes.map((box) => [box, "yes"])),
      });
    },
    exchange: (code, given = {}) =>
      token({
        grant_type: "authorization_code",
        client_id: id,
        code,
        code_verifier: verifier,
        redirect_uri: redirect,
        ...given,
      }),
    refresh: (refresh_token, given = {}) =>
      token({ grant_type: "refresh_token", client_id: id, refresh_token, ...given }),
    revoke: (given) => postForm(`${url}/oauth/revoke`, { client_id: id, token: given }),
  };
}

/** Where a page lets its person go back to with an error, if it does. */
export function wayBackIn({ text }: VisitedPage): URL | undefined {
  const link = /class="note">[^<]*<a href="([^"]+)"/.exec(text)?.[1];
  return link === undefined ? undefined : new URL(link.replaceAll("&#38;", "&"));
}

/** A page that a browser came to. */
export interface VisitedPage {
  readonly path: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/**
 * A person's browser going from page to page, as browsers do: it keeps cookies and follows redirects of this hub.
 *
 * @param home  what the browser takes the hub for, when `url` is that of a proxy in front.
 */
export function openVisit(url: string, browser: Pick<Actor, "token">, home = atLocalhost(url)) {
  const through = home === atLocalhost(url) ? home : url;
  const jar = new Map(browser.token === "" ? [] : [["crewroom", browser.token]]);

  async function go(path: string, init: RequestInit): Promise<Response> {
    const cookies = [...jar].filter(([, value]) => value !== "").map(([name, value]) => `${name}=${value}`);
    const sent = { origin: home, "sec-fetch-site": "same-origin", cookie: cookies.join("; ") };
    const headers = { ...sent, ...Object.fromEntries(new Headers(init.headers)) };
    const response = await fetch(through + path, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    return response;
  }

  /** Follows while it stays here. Gives the page, or the address elsewhere. */
  async function follow(path: string, init: RequestInit = {}): Promise<VisitedPage | URL> {
    const response = await go(path, init);
    const location = response.headers.get("location");
    if (location === null)
      return { path, status: response.status, text: await response.text(), headers: response.headers };
    const next = new URL(location, home);
    return next.origin === home ? follow(next.pathname + next.search) : next;
  }

  /** Sends fields with the token of the form that a page has. */
  function submit(page: VisitedPage, path: string, fields: Readonly<Record<string, string>>) {
    return follow(path, { method: "POST", body: formOf(page, fields) });
  }

  return {
    async get(path: string): Promise<VisitedPage> {
      const end = await follow(path);
      if (end instanceof URL) throw new Error(`The browser was sent to ${end.href}.`);
      return end;
    },
    follow,
    submit,
    /** Sends the form of a page and follows nothing. */
    post: (page: VisitedPage, fields: Readonly<Record<string, string>>) =>
      go(page.path, { method: "POST", body: formOf(page, fields) }),
    /** Sends the form of a page to where the page is, and gives where that leads. */
    async send(page: VisitedPage, fields: Readonly<Record<string, string>>): Promise<URL> {
      const end = await submit(page, page.path, fields);
      if (end instanceof URL) return end;
      throw new Error(`${end.status} at ${end.path}: ${end.text.replace(/<[^>]+>|\s+/g, " ")}`);
    },
  };
}

/** On this machine people sign in at that name. */
function atLocalhost(url: string): string {
  return `http://localhost:${new URL(url).port}`;
}

function formOf({ text }: VisitedPage, fields: Readonly<Record<string, string>>): URLSearchParams {
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? "";
  return new URLSearchParams({ form_token: token, ...fields });
}

async function answerOf(response: Response): Promise<OAuthAnswer> {
  const text = await response.text();
  const body = text === "" ? {} : (JSON.parse(text) as OAuthAnswer["body"]);
  return { status: response.status, body, headers: response.headers };
}
