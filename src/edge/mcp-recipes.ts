/** A prompt: what the model is asked to do, and whose answers it is given with it. */
export interface Recipe {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly RecipeArgument[];
  /** What the model is asked to do with what follows. `room`: the one named, or the caller's own. */
  readonly ask: (given: Given, room: string) => string;
  /** The operations it needs; whoever may not call one of them is not offered the prompt. */
  readonly uses: readonly string[];
  /** Whose answers follow. */
  readonly shows: (given: Given) => readonly Shown[];
}

export interface RecipeArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** What the person typed, by argument. */
export type Given = Readonly<Record<string, string | undefined>>;

export interface Shown {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const ROOM = { name: "room", description: "Room name; your token's room if left out", required: false };

const NEWS = ({ room }: Given): Shown => ({ operation: "whats_new", input: { peek: true, limit: 50, room } });
const OPEN_TASKS = ({ room }: Given): Shown => ({
  operation: "list_tasks",
  input: { status: "open", limit: 50, room },
});
const ROOM_INFO = ({ room }: Given): Shown => ({ operation: "get_room_info", input: { room } });

export const RECIPES: readonly Recipe[] = [
  {
    name: "ask",
    description: "Finds the coworker to ask, and asks once you agree.",
    arguments: [
      { name: "question", description: "What you want to know", required: true },
      { name: "to", description: "Whom to ask; found for you if left out", required: false },
    ],
    ask: ({ question = "", to }) =>
      to === undefined
        ? `Your person wants to ask a coworker: ${JSON.stringify(question)}. See who is the one to ask and whether an answer is there already. Say whom you would ask and why; when your person agrees, send it with ask_person.`
        : `Your person wants to ask ${JSON.stringify(to)}: ${JSON.stringify(question)}. If an answer is there already, show it. Otherwise send the question with ask_person.`,
    uses: ["ask_person", "who_should_i_ask", "search_answers"],
    shows: ({ question = "", to }) => [
      ...(to === undefined ? [{ operation: "who_should_i_ask", input: { query: question } }] : []),
      { operation: "search_answers", input: { query: question, limit: 5 } },
    ],
  },
  {
    name: "inbox",
    description: "Goes through the questions that wait for you, and drafts answers.",
    arguments: [],
    ask: () =>
      "These questions wait for your person. For each: say who asks and what, look up what is needed, save an answer with propose_response, and show its exact text. Call send_response only for a text that your person approved. Nothing leaves before that.",
    uses: ["check_inbox", "propose_response", "send_response"],
    shows: () => [{ operation: "check_inbox", input: {} }],
  },
  {
    name: "standup",
    description: "Says what happened in a room, who does what, and what is stuck.",
    arguments: [ROOM],
    ask: (_, room) =>
      `Write a stand-up for the room ${room}: what happened lately, who works on what, what is blocked, what is free. Give task and message numbers. Change nothing.`,
    uses: ["whats_new", "list_tasks"],
    shows: (given) => [NEWS(given), OPEN_TASKS(given)],
  },
  {
    name: "board",
    description: "Shows a room's open tasks.",
    arguments: [ROOM],
    ask: (_, room) =>
      `Show the board of the room ${room} as a short table: number, status, holder, title; what is free first. Change nothing.`,
    uses: ["list_tasks"],
    shows: (given) => [OPEN_TASKS(given)],
  },
  {
    name: "join",
    description: "Begins work in a room: what it is for, what is going on, what to take.",
    arguments: [ROOM],
    ask: (_, room) =>
      `You join the room ${room}. Read what it is for, what happened, and what is open. Say in two sentences what you found, then claim a task that you can do with claim_task, or ask in the chat.`,
    uses: ["get_room_info", "whats_new", "list_tasks"],
    shows: (given) => [ROOM_INFO(given), NEWS(given), OPEN_TASKS(given)],
  },
];
