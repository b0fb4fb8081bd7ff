/** The session's cookie over https; browsers then hold it to this host, this path and https. */
const SECURE_NAME = "__Host-crewroom";
/** Its name on plain http, where browsers take no secure one. */
const PLAIN_NAME = "crewroom";

/** The session's secret that a request's cookies carry, if they carry one. */
export function sessionSecretIn(cookie: string | undefined): string | undefined {
  if (cookie === undefined) return undefined;
  const cookies = new Map(cookie.split(";").map((pair) => splitAt(pair.trim(), "=")));
  return cookies.get(SECURE_NAME) ?? cookies.get(PLAIN_NAME);
}

/** The header that gives a browser its session; without a secret, the one that takes it away. */
export function sessionCookie(secret: string | undefined, { secure, days }: { secure: boolean; days: number }): string {
  const age = secret === undefined ? 0 : days * 86_400;
  const name = secure ? SECURE_NAME : PLAIN_NAME;
  return `${name}=${secret ?? ""}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
}

function splitAt(text: string, sign: string): [string, string] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
