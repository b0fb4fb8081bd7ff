import { openKept } from "./kept.ts";

/** How a person wants it to look. */
export interface Look {
  readonly theme: "system" | "light" | "dark";
  readonly density: "roomy" | "dense";
}

export const look = openKept<Look>("crewroom-look", { theme: "system", density: "roomy" });

export function setLook(next: Look) {
  look.set(next);
  startLook();
}

export function startLook() {
  const { theme, density } = look.get();
  document.documentElement.dataset["theme"] = theme;
  document.documentElement.dataset["density"] = density;
}
