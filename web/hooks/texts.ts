/** What is said of webhooks, in English. */
export const HOOKS_TEXTS = {
  newOut: "Send events out",
  newIn: "Let events in",
  none: "Nothing goes out or comes in by itself",
  direction: "Way",
  directions: { out: "out", in: "in" },
  label: "Label",
  address: "Address",
  states: { working: "works", failing: "not arriving", disabled: "given up" },
  made: "Made",
  secret: "Secret",
  url: "Where to send them",
  author: "The handle that it speaks as",
  form: "What sends them",
  forms: { plain: "anything, as JSON", github: "GitHub" },
  deleteSure: "Nothing goes out or comes in by it any more, within two seconds.",
} as const;
