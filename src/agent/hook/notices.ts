import type { HubAnswer } from "./ask-hub.ts";
import { wasNoticed } from "./marker.ts";
import type { HookSettings } from "./settings.ts";

/** A version as ours are written: whatever else stands in the header goes nowhere. */
const VERSION_FORM = /^\d{1,5}\.\d{1,5}\.\d{1,5}(-[0-9a-z.]{1,30})?$/;

/** One sentence, once a day, when this copy is another version than the one the hub serves. */
export function versionNotice(
  { url, token, versionCheck, versionInterval }: HookSettings,
  { headers }: Pick<HubAnswer, "headers">,
  own: string,
): string {
  const served = headers["x-crewroom-hook-version"];
  if (!versionCheck || typeof served !== "string" || !VERSION_FORM.test(served) || served === own) return "";
  if (wasNoticed(["version", url, token], versionInterval)) return "";
  return `For your user: this machine's Crewroom hook is version ${own}, the hub serves ${served} at ${url}/v1/hook.`;
}
