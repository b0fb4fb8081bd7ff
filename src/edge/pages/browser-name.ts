/** First what others also call themselves. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b|\biPad\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

/** What a person would call the browser with this User-Agent, to tell its sign-ins apart; none of what was sent is in it. */
export function browserName(userAgent: string | undefined = ""): string {
  const nameIn = (names: typeof BROWSERS) => names.find(([form]) => form.test(userAgent))?.[1];
  const [browser = "A browser", system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  return system ? `${browser} on ${system}` : browser;
}
