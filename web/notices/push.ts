/** The only script that may become a worker of these pages. */
const WORKER = "/ui/push.js";

/** Whether this browser can be told by push; on plain http, and in private windows, none can. */
export const pushIs = (): "possible" | "denied" | "impossible" => {
  if (!isSecureContext || !("serviceWorker" in navigator) || !("PushManager" in globalThis)) return "impossible";
  return Notification.permission === "denied" ? "denied" : "possible";
};

/**
 * Asks the browser to be told by push, and gives the address that tells it.
 *
 * @param key  the hub's application server key, base64url.
 * @throws Error when its person or the browser does not let it.
 */
export async function subscribeToPush(key: string): Promise<string> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("This browser does not show notices of this page.");
  await navigator.serviceWorker.register(workerUrl());
  const { pushManager } = await navigator.serviceWorker.ready;
  const { endpoint } = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  return endpoint;
}

/** The page's policy lets an address become a script only through this, which lets one pass. */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return WORKER;
  policy ??= trustedTypes.createPolicy("crewroom", {
    createScriptURL(url) {
      if (url !== WORKER) throw new TypeError("Not a script of this page.");
      return url;
    },
  });
  return policy.createScriptURL(WORKER) as string; // what registers it takes it as it is
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy;
}
interface Policy {
  createScriptURL(url: string): unknown;
}
let policy: Policy | undefined;
