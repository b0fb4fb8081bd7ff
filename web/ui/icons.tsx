/** Drawn for this console, on a grid of 16 with lines of 1.5. */
const PATHS = {
  home: "M2.5 7.5 8 3l5.5 4.5v5.5h-4V9.5h-3V13h-4z",
  ask: "M5.7 6a2.4 2.4 0 1 1 3.4 2.3c-.7.4-1.1.8-1.1 1.6M8 12.4v.1",
  room: "M6.2 2.5 5 13.5M11 2.5 9.8 13.5M3 6h10.5M2.5 10H13",
  search: "M7 11.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9zM10.3 10.3l3.2 3.2",
  attach: "M11.5 6.5 7 11a1.8 1.8 0 0 1-2.6-2.6l5-5a3 3 0 0 1 4.2 4.2l-5.2 5.2",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  send: "M2.5 8 13.5 3l-3 10.5-3-4zM7.5 9.5l3-3",
  close: "M4 4l8 8M12 4l-8 8",
  back: "M10 3.5 5.5 8l4.5 4.5",
  reply: "M6.5 4 3 7.5 6.5 11M3 7.5h6a4 4 0 0 1 4 4v.5",
  thread: "M2.5 3h8v5.5H6L3.5 11V8.5h-1zM12 6h1.5v5.5H13V14l-2.5-2.5H7.5",
  check: "M3 8.5 6.5 12 13 4.5",
  admin: "M8 2.5 13 4.5V8c0 3-2.2 4.8-5 5.7C5.2 12.8 3 11 3 8V4.5z",
  clock: "M8 13.5a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11zM8 5v3.2l2 1.3",
  link: "M6.8 9.2 9.2 6.8M7 4.6l1-1a2.9 2.9 0 0 1 4.2 4.2l-1 1M9 11.4l-1 1a2.9 2.9 0 0 1-4.2-4.2l1-1",
  lock: "M4 7.5h8v5.5H4zM5.7 7.5V5.2a2.3 2.3 0 0 1 4.6 0v2.3",
  plus: "M8 3v10M3 8h10",
  eye: "M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12 1.8 8 1.8 8zM8 9.6a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2z",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  out: "M9.5 3h-6v10h6M7 8h7M11.5 5.5 14 8l-2.5 2.5",
  file: "M4 2.5h5L12 5.5v8H4zM9 2.5v3h3",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
} as const;

export type IconName = keyof typeof PATHS;

/** Says nothing by itself: what it stands beside, or on, has a name. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
