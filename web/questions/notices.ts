/** Whether browsers let this page show notices; on plain http they do not. */
export function noticesAre(): "on" | "possible" | "impossible" {
  if (!("Notification" in globalThis) || !isSecureContext || Notification.permission === "denied") return "impossible";
  return Notification.permission === "granted" ? "on" : "possible";
}

export async function askForNotices(): Promise<boolean> {
  return (await Notification.requestPermission()) === "granted";
}

/** Says that something waits, where nobody looks at the page. It holds nothing of what others wrote. */
export function notify(says: string) {
  if (noticesAre() !== "on" || document.visibilityState === "visible") return;
  const notice = new Notification("Crewroom", { body: says, tag: "crewroom" });
  notice.addEventListener("click", () => {
    focus();
    notice.close();
  });
}
