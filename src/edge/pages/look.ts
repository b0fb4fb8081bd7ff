/**
 * How the pages look. One file, no font and no picture from anywhere. Every colour of text stands at 4.5:1 or more on its
 * ground, every edge that means something at 3:1 (WCAG 2.2 AA, tested in look.test.ts).
 */
export const COLOURS = {
  ground: ["#f6f5f2", "#15171a"],
  card: ["#ffffff", "#1d2024"],
  sunk: ["#f2f0ec", "#14161a"],
  ink: ["#1c2025", "#e9e7e2"],
  quiet: ["#59626c", "#a2abb5"],
  line: ["#e1ded7", "#30353b"],
  edge: ["#7f878f", "#7b848d"],
  accent: ["#0b6e5f", "#56c9af"],
  "on-accent": ["#ffffff", "#0d1f1b"],
  warn: ["#7a4a00", "#f0bf6a"],
  "warn-ground": ["#fdf3df", "#2c2417"],
  "warn-edge": ["#a8701a", "#a67c34"],
  bad: ["#a1271b", "#ff9d8f"],
  "bad-ground": ["#fdecea", "#2f1c1a"],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

const colours = Object.entries(COLOURS)
  .map(([name, [light, dark]]) => `  --${name}: light-dark(${light}, ${dark});`)
  .join("\n");

/** The colours alone, for whatever has a look of its own: the console. */
export const COLOURS_STYLE = `:root {
  color-scheme: light dark;
${colours}
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
`;

export const STYLE = `${COLOURS_STYLE}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
p { margin: 0; }
[hidden] { display: none !important; }

.top { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 1.25rem; padding: 0.6rem clamp(1rem, 4vw, 2rem); border-bottom: 1px solid var(--line); font-size: 0.95rem; }
.mark { margin-right: auto; padding: 0.4rem 0; color: var(--ink); font-weight: 650; letter-spacing: -0.01em; text-decoration: none; }
.top nav { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.1rem; }
.top nav a, .top nav button { padding: 0.5rem 0; color: var(--quiet); text-decoration: none; }
.top nav a:hover, .top nav button:hover, .top nav [aria-current] { color: var(--ink); text-decoration: underline; }

main { max-width: 42rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 3.5rem) 1rem 4rem; }
main.narrow { max-width: 26rem; }
h1 { margin: 0; font-size: clamp(1.45rem, 5vw, 1.75rem); line-height: 1.2; letter-spacing: -0.015em; overflow-wrap: anywhere; }
h2 { margin: 1.75rem 0 0.5rem; font-size: 1rem; line-height: 1.35; }
.lead { margin-top: 0.5rem; color: var(--quiet); overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: 0.92rem; overflow-wrap: anywhere; }
.main + .quiet, form + .quiet, .lead + .quiet, .note + .quiet { margin-top: 0.75rem; }
.lead + .asked { margin-top: 0.75rem; }
.note + .lead { margin-top: 1.5rem; }
.card { margin-top: 1.5rem; padding: clamp(1.1rem, 4vw, 1.5rem); background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.card > :first-child { margin-top: 0; }

form { margin: 0; }
label { display: block; margin-top: 1rem; font-weight: 550; }
.card > label:first-of-type { margin-top: 0; }
.hint { margin-top: 0.15rem; color: var(--quiet); font-size: 0.88rem; }
input[type="text"], input[type="password"], select { display: block; width: 100%; min-height: 2.75rem; margin-top: 0.35rem; padding: 0.5rem 0.7rem; background: var(--card); color: var(--ink); border: 1px solid var(--edge); border-radius: 8px; font: inherit; }
input[aria-invalid] { border-color: var(--bad); }
button, .button { display: inline-block; min-height: 2.75rem; padding: 0.55rem 1.1rem; border: 1px solid var(--edge); border-radius: 8px; background: transparent; color: var(--ink); font: inherit; font-weight: 550; line-height: 1.5; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--sunk); }
.choices { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.main { width: 100%; margin-top: 1.5rem; background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 650; }
.main + button { margin-top: 0.75rem; }
.main:hover { background: var(--accent); filter: brightness(1.08); }
.link { min-height: 0; padding: 0; border: 0; background: none; font-weight: inherit; text-decoration: underline; text-underline-offset: 0.15em; }
.link:hover { background: none; }

.note { margin-top: 1.25rem; padding: 0.75rem 0.9rem; border: 1px solid var(--line); border-left: 3px solid var(--edge); border-radius: 8px; background: var(--card); font-size: 0.95rem; overflow-wrap: anywhere; }
.note.warn { background: var(--warn-ground); border-color: var(--warn-edge); color: var(--warn); }
.note.bad { background: var(--bad-ground); border-color: var(--bad); color: var(--bad); }
.note.good { border-left-color: var(--accent); }
.note a { color: inherit; }

.text { overflow: hidden; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; tab-size: 4; }
.text.glimpse { white-space: normal; }
.asked { padding-left: 0.9rem; border-left: 3px solid var(--line); color: var(--ink); }
.answer { margin-top: 0.5rem; padding: 1rem; background: var(--sunk); border: 1px solid var(--line); border-radius: 8px; }
.hidden, .leads { padding: 0 0.15em; border: 1px solid var(--warn-edge); border-radius: 4px; background: var(--warn-ground); color: var(--warn); font: 0.82em/1.3 var(--mono); }
.leads { display: inline-block; max-width: 100%; margin-left: 0.35em; overflow-wrap: anywhere; }
bdi { unicode-bidi: isolate; }

dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1rem; margin: 1.25rem 0 0; font-size: 0.92rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
fieldset { margin: 1.25rem 0 0; padding: 0; border: 0; }
input[type="hidden"] + fieldset { margin-top: 0; }
fieldset + .hint { margin-top: 0.75rem; }
legend { padding: 0; font-weight: 550; }
.choice { display: flex; align-items: baseline; gap: 0.6rem; min-height: 1.75rem; margin-top: 0.25rem; font-weight: 400; }
.choice input { flex: none; accent-color: var(--accent); }
details { margin-top: 1rem; }
summary { width: max-content; padding: 0.4rem 0; color: var(--quiet); cursor: pointer; }
details button { margin-top: 0.75rem; }

ul.rows { margin: 1.5rem 0 0; padding: 0; list-style: none; }
.rows li { display: flex; align-items: center; gap: 1rem; padding: 0.9rem 0; border-top: 1px solid var(--line); }
.rows li:last-child { border-bottom: 1px solid var(--line); }
.rows li > :first-child { flex: 1; min-width: 0; }
.rows a { font-weight: 550; }
.rows p { overflow-wrap: anywhere; }
code { font: 0.9em/1.5 var(--mono); overflow-wrap: anywhere; }
pre { margin: 0.6rem 0 0; padding: 0.75rem 0.9rem; overflow-x: auto; background: var(--sunk); border: 1px solid var(--line); border-radius: 8px; font: 0.85rem/1.5 var(--mono); user-select: all; }

.more { margin-top: 1.25rem; }
.copy-place { position: relative; }
.copy-place pre { padding-right: 5.5rem; }
.copy { position: absolute; top: 0.4rem; right: 0.4rem; min-height: 2rem; padding: 0.1rem 0.7rem; background: var(--card); font-size: 0.88rem; }

@media (max-width: 30rem) {
  .top nav { flex-basis: 100%; justify-content: space-between; }
  .rows li { flex-wrap: wrap; gap: 0.5rem; }
  .rows li > :first-child { flex-basis: 100%; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.5rem; }
}
@media (forced-colors: active) {
  .main { border: 2px solid ButtonText; }
  .hidden, .leads { outline: 1px solid; }
}
`;
