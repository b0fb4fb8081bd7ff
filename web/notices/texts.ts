/** What is said of being told when away, in English. */
export const NOTICES_TEXTS = {
  title: "When you are away",
  lead: "You are told when a question or a draft waits for you, and when yours was answered: that something waits, nothing of what.",
  none: "Nothing tells you yet",
  channels: { ntfy: "ntfy", slack: "Slack or alike", web_push: "browser" },
  states: { failing: "not arriving", disabled: "given up", working: "" },
  remove: "Remove",
  thisDevice: "a browser",
  addDevice: "Tell me in this browser, also when it is closed",
  added: "You will be told.",
  push: {
    impossible: "This browser can be told only over https or on localhost.",
    denied: "This browser does not show notices of this page; its settings say so.",
  },
  channel: "By",
  label: "What you call it (optional)",
  address: "Address: of the ntfy topic, or of the webhook",
  add: "Add",
} as const;
