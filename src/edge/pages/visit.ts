import type { z } from "zod";
import type { Callers } from "../../access/caller.ts";
import type { SecretKey } from "../../access/secret-key.ts";
import { HubError } from "../../core/errors.ts";
import { type Core, execute } from "../../core/execute.ts";
import type { Caller, Operation } from "../../core/operation.ts";
import { nobody } from "../../core/roles.ts";
import { deviceCookie, deviceIn, sessionSecretIn } from "../cookies.ts";
import type { Ask, Reply, Route } from "../exchange.ts";
import { type LocalitySettings, openLocality } from "../locality.ts";
import { refuseForeignPage } from "../middleware.ts";
import { type Device, DEVICE_DAYS, type Devices, openDevices } from "./device.ts";
import { type Form, type FormTokens, NO_FORM, openFormTokens, readForm } from "./form.ts";
import { type Page, seeOther, writePage } from "./frame.ts";
import { homeOf, type Transport, transportOf, type TransportSettings } from "./transport.ts";

export interface VisitParts {
  readonly core: Core;
  readonly callers: Callers;
  readonly secretKey: SecretKey;
  readonly settings: TransportSettings & LocalitySettings;
  /** The console, if it was built. */
  readonly web?: object | undefined;
}

/** A browser before a page. */
export interface Visit {
  readonly ask: Ask;
  /** The person that is signed in in this browser. A page knows no other credential than its cookie. */
  readonly person: Caller | undefined;
  readonly transport: Transport;
  /** Where a person begins: the console, or what waits for approval. */
  readonly home: "/ui" | "/approve";
  readonly device: Device;
  /** Stands in every form of the page: bound to the session that is signed in, else to the browser. */
  readonly formToken: string;
  /** What was sent with POST; its token was right. */
  readonly form: Form;
  /** The parameters of the address. */
  readonly query: URLSearchParams;
  /** Runs an operation as the person, or as nobody, and gives its answer. @throws HubError */
  perform<Does extends Operation>(operation: Does, input: z.input<Does["input"]>): Promise<z.output<Does["output"]>>;
  /** Writes a page, with who is signed in above it. */
  show(page: Omit<Page, "who">): Reply;
}

/** A visit of somebody who is signed in. */
export interface PersonVisit extends Visit {
  readonly person: Caller;
}

export interface Visits {
  readonly devices: Devices;
  /** @throws HubError `origin_not_allowed`, `form_stale` and those of `readForm`, when something is sent. */
  open(ask: Ask): Promise<Visit>;
  /** An address that anybody may open. */
  route(method: "GET" | "POST", path: string, run: (visit: Visit) => Promise<Reply>): Route;
  /** An address for who is signed in; others sign in first and come back. */
  personRoute(method: "GET" | "POST", path: string, run: (visit: PersonVisit) => Promise<Reply>): Route;
}

export function openVisits({ core, callers, secretKey, settings, web }: VisitParts): Visits {
  const devices = openDevices(secretKey.keyFor("devices"));
  const tokens = openFormTokens(secretKey.keyFor("forms"));
  const locality = openLocality(settings);

  async function open(ask: Ask): Promise<Visit> {
    const { cookie } = ask.headers;
    const secret = sessionSecretIn(cookie);
    const found = secret === undefined ? undefined : await findPerson(callers, secret, ask.address);
    const person = found && locality.isLocal(ask.headers) ? atOwnMachine(found) : found;
    const device = devices.read(deviceIn(cookie));
    const bound = person && secret !== undefined ? secret : device.id;
    const own = { formToken: tokens.make(bound), home: homeOf(ask.headers, settings, web) };
    return {
      ask,
      person,
      transport: transportOf(ask.headers, settings),
      device,
      ...own,
      form: await readOwnForm(ask, tokens, bound),
      query: new URLSearchParams(ask.query),
      async perform<Does extends Operation>(operation: Does, input: z.input<Does["input"]>) {
        const { value } = await execute(core, operation, { caller: person ?? nobody(ask.address), input });
        return value as z.output<Does["output"]>; // the rule's answer is of its schema's type
      },
      show: (page) => writePage({ ...page, who: person && { ...person, ...own } }),
    };
  }

  const route: Visits["route"] = (method, path, run) => ({
    method,
    path,
    open: true,
    page: true,
    async run(ask) {
      const visit = await open(ask);
      const reply = await run(visit);
      return visit.device.isNew && method === "GET" ? withCookies(reply, [keepDevice(visit, devices)]) : reply;
    },
  });
  return {
    devices,
    open,
    route,
    personRoute: (method, path, run) =>
      route(method, path, async (visit) => {
        const { person } = visit;
        return person ? run({ ...visit, person }) : askToSignIn(visit.ask);
      }),
  };
}

async function findPerson(callers: Callers, secret: string, address: string): Promise<Caller | undefined> {
  try {
    return await callers.bySession(secret, { address, session: "-" });
  } catch (error) {
    if (error instanceof HubError && error.code === "not_signed_in") return undefined;
    throw error;
  }
}

function atOwnMachine(person: Caller): Caller {
  return { ...person, roles: new Set([...person.roles, "own_machine"]) };
}

/** Two walls against forms of other sites: what the browser says of where it was sent from, and a token they cannot know. */
async function readOwnForm({ method, headers, incoming }: Ask, tokens: FormTokens, bound: string): Promise<Form> {
  if (method !== "POST") return NO_FORM;
  refuseForeignPage(method, headers);
  const form = await readForm(incoming);
  tokens.check(form, bound);
  return form;
}

function askToSignIn({ method, path, query }: Ask): Reply {
  const next = method === "GET" && query !== "" ? `${path}?${query}` : path;
  return seeOther(`/login?next=${encodeURIComponent(next)}`);
}

/** The cookie by which the browser is known again. */
export function keepDevice({ device, transport }: Visit, devices: Devices, account?: string): string {
  const kept = account === undefined ? device : devices.remember(device, account);
  return deviceCookie(devices.write(kept), { secure: transport === "https", days: DEVICE_DAYS });
}

export function withCookies(reply: Reply, cookies: readonly string[]): Reply {
  const before = [reply.headers["set-cookie"] ?? []].flat();
  return { ...reply, headers: { ...reply.headers, "set-cookie": [...before, ...cookies] } };
}
