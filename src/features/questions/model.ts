/** Where a question can stand. The first three are open; the others are final. */
export const STATES = [
  "pending",
  "drafted",
  "awaiting_approval",
  "answered",
  "declined",
  "withdrawn",
  "expired",
] as const;
export type State = (typeof STATES)[number];

/** What can be done to a question. `request` asks its person to approve the draft; `approve` delivers it. */
export const ACTIONS = ["draft", "request", "reject", "approve", "decline", "withdraw", "redirect", "expire"] as const;
export type Action = (typeof ACTIONS)[number];

/** On which side somebody acts. An agent stands on its owner's side; a question to its own owner it asks itself. */
export type Side = "asker" | "recipient" | "hub";

const NOTHING: Record<Action, null> = {
  draft: null,
  request: null,
  reject: null,
  approve: null,
  decline: null,
  withdraw: null,
  redirect: null,
  expire: null,
};
const OPEN = {
  ...NOTHING,
  draft: "drafted",
  decline: "declined",
  withdraw: "withdrawn",
  redirect: "pending",
  expire: "expired",
} as const;

/** What each action leads to from each state. `null`: it is not possible. */
export const TABLE: Record<State, Record<Action, State | null>> = {
  pending: OPEN,
  drafted: { ...OPEN, request: "awaiting_approval" },
  awaiting_approval: { ...OPEN, request: "awaiting_approval", reject: "drafted", approve: "answered" },
  answered: NOTHING,
  declined: NOTHING,
  withdrawn: NOTHING,
  expired: NOTHING,
};

/** Who does it. How surely it must be the person that approves is another model's: features/approval/model.ts. */
export const DONE_BY: Record<Action, Side> = {
  draft: "recipient",
  request: "recipient",
  reject: "recipient",
  approve: "recipient",
  decline: "recipient",
  withdraw: "asker",
  redirect: "recipient",
  expire: "hub",
};

/** What the rules look at. `expires_at`: its deadline, ms since 1970, UTC. */
export interface QuestionState {
  readonly state: State;
  readonly expires_at: number;
}

/** What came of asking: where it leads, or why it may not be. */
export type Decision =
  { readonly allowed: true; readonly next: State } | { readonly allowed: false; readonly problem: string };

/** Whether somebody who stands on these sides may do `action` at `now` (ms), and where it leads. */
export function decide(question: QuestionState, action: Action, sides: ReadonlySet<Side>, now: number): Decision {
  const side = DONE_BY[action];
  if (!sides.has(side)) return { allowed: false, problem: `only its ${side} may` };
  if (action === "expire" && question.expires_at > now) return { allowed: false, problem: "its deadline is not over" };
  const state = action === "expire" ? question.state : standingAt(question, now);
  const next = TABLE[state][action];
  return next === null ? { allowed: false, problem: problemOf(state, action) } : { allowed: true, next };
}

/** The state as it is now: an open question is expired from its deadline on, whether that was written already or not. */
export function standingAt({ state, expires_at }: QuestionState, now: number): State {
  return isOpen(state) && expires_at <= now ? "expired" : state;
}

export function isOpen(state: State): boolean {
  return TABLE[state].expire !== null;
}

/** The states from which an action leads somewhere: what the one conditional update asks for. */
export function statesBefore(action: Action): readonly State[] {
  return STATES.filter((state) => TABLE[state][action] !== null);
}

/** Where an action leads; it is the same wherever it begins. */
export function stateAfter(action: Action): State {
  const [next, ...others] = new Set(STATES.map((state) => TABLE[state][action]).filter((state) => state !== null));
  if (next === undefined || others.length > 0) throw new Error(`${action} leads to no one state.`);
  return next;
}

function problemOf(state: State, action: Action): string {
  if (!isOpen(state)) return "it is closed";
  return action === "request" ? "it has no draft" : "no draft of it waits for approval";
}

/** The table as a page of the printed reference. */
export function questionStatesPage(): string {
  const rows = STATES.map((state) => [state, ...ACTIONS.map((action) => TABLE[state][action] ?? "·")]);
  const lines = [
    ["", ...ACTIONS],
    ["---", ...ACTIONS.map(() => "---")],
    ["by", ...ACTIONS.map((action) => DONE_BY[action])],
    ...rows,
  ];
  return [
    "# What can become of a question",
    "",
    "Each cell: where it leads. A dot: not possible. From its deadline on an open question is `expired`, whatever is written about it.",
    "An agent acts on its owner's side: it drafts and requests. To approve takes at least the organization's minimum assurance,",
    "which by default the person alone can give; to reject takes the person. `redirect` leaves drafts behind; every action but",
    "`request` ends the open request for approval.",
    "",
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
    "",
  ].join("\n");
}
