export const NOTICES_SCRIPT_PATH = "/assets/notices.js";
export const NOTICES_WORKER_PATH = "/assets/notices-worker.js";

/**
 * Subscribes this browser to push and sends the form with the address that it got. Where a browser knows no push the form stays
 * hidden.
 *
 * @source Push API, W3C: `PushManager.subscribe`.
 */
export const NOTICES_SCRIPT = `const form = document.querySelector("form[data-push]");
const button = form.querySelector("button");
const trouble = form.querySelector("[data-trouble]");
form.hidden = !("serviceWorker" in navigator && "PushManager" in window && "Notification" in window);

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  try {
    if ((await Notification.requestPermission()) !== "granted") throw new Error("this browser does not allow it.");
    const registration = await navigator.serviceWorker.register("${NOTICES_WORKER_PATH}");
    await activated(registration);
    const asked = { userVisibleOnly: true, applicationServerKey: form.dataset.push };
    form.elements.address.value = (await registration.pushManager.subscribe(asked)).endpoint;
    form.submit();
  } catch (error) {
    trouble.textContent = "You will not be told here: " + error.message;
    button.disabled = false;
  }
});

function activated(registration) {
  const worker = registration.installing ?? registration.waiting;
  if (registration.active || !worker) return undefined;
  return new Promise((resolve) => {
    worker.addEventListener("statechange", () => worker.state === "activated" && resolve());
  });
}
`;

/** Runs in the browser when a push comes, which has no content: what is said stands here. */
export const NOTICES_WORKER = `self.addEventListener("push", (event) => {
  event.waitUntil(self.registration.showNotification("Crewroom", { body: "Something waits for you.", tag: "waits" }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow("/waiting"));
});
`;
