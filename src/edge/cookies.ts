/** A cookie of ours has one name over https, where browsers hold it to this host, this path and https, and one on plain http. */
interface CookieName {
  readonly secure: string;
  readonly plain: string;
}
const SESSION: CookieName = { secure: "__Host-crewroom", plain: "crewroom" };
const DEVICE: CookieName = { secure: "__Host-crewroom_device", plain: "crewroom_device" };

interface Lasting {
  readonly secure: boolean;
  readonly days: number;
}

/** The session's secret that a request's cookies carry, if they carry one. */
export function sessionSecretIn(cookie: string | undefined): string | undefined {
  return cookie === undefined ? undefined : valueIn(cookie, SESSION);
}

/** The header that gives a browser its session; without a secret, the one that takes it away. */
export function sessionCookie(secret: string | undefined, lasting: Lasting): string {
  return setCookie(SESSION, secret, lasting);
}

/** What a browser is known by from one sign-in to the next, if its cookies carry it. It is no credential. */
export function deviceIn(cookie: string | undefined): string | undefined {
  return cookie === undefined ? undefined : valueIn(cookie, DEVICE);
}

export function deviceCookie(value: string, lasting: Lasting): string {
  return setCookie(DEVICE, value, lasting);
}

function valueIn(cookie: string, { secure, plain }: CookieName): string | undefined {
  const cookies = new Map(cookie.split(";").map((pair) => splitAt(pair.trim(), "=")));
  return cookies.get(secure) ?? cookies.get(plain);
}

function setCookie(names: CookieName, value: string | undefined, { secure, days }: Lasting): string {
  const age = value === undefined ? 0 : days * 86_400;
  const name = secure ? names.secure : names.plain;
  return `${name}=${value ?? ""}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
}

function splitAt(text: string, sign: string): [string, string] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
