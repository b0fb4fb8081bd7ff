import type { Reply, Route } from "../exchange.ts";

/** Beside the pages it opens: a worker reaches no further than its folder. */
const PATH = "/ui/push.js";

/**
 * What a browser runs when the hub's push comes and no page is open: it says that something waits, which is all that a push
 * tells, and leads to where. It keeps nothing and stands between no page and the hub.
 *
 * @source Push API 8, Notifications API 3, Service Workers: W3C.
 */
const SCRIPT = `self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("push", (event) => {
  const notice = { body: "Something waits for you.", tag: "crewroom", icon: undefined };
  event.waitUntil(self.registration.showNotification("Crewroom", notice));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openHome());
});

async function openHome() {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const home = pages.find((page) => new URL(page.url).pathname === "/ui");
  return home ? home.focus() : self.clients.openWindow("/ui");
}
`;

const REPLY: Reply = {
  status: 200,
  headers: {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy": "default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
  },
  body: SCRIPT,
};

export const pushWorkerRoute: Route = { method: "GET", path: PATH, open: true, run: () => REPLY };
