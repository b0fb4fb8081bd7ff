/** How a person wants it to look; kept in the browser. */
export interface Look {
  readonly theme: "system" | "light" | "dark";
  readonly density: "roomy" | "dense";
}

const KEPT_AS = "crewroom-look";
const USUAL: Look = { theme: "system", density: "roomy" };

export function readLook(): Look {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}") as Partial<Look>) };
  } catch {
    return USUAL; // a browser that keeps nothing, or something else's entry
  }
}

export function setLook(look: Look) {
  show(look);
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(look));
  } catch {
    // It holds for as long as the page is open.
  }
}

export function startLook() {
  show(readLook());
}

function show({ theme, density }: Look) {
  document.documentElement.dataset["theme"] = theme;
  document.documentElement.dataset["density"] = density;
}
