/** Under which key each answer of the hub is kept. What begins alike is marked as old together. */
export const keys = {
  me: ["me"],
  rooms: ["rooms"],
  inbox: ["inbox"],
  replies: ["replies"],
  people: ["people"],
  messages: (room: string) => ["messages", room],
  threads: (room: string) => ["thread", room],
  thread: (room: string, message: number) => ["thread", room, message],
  receipts: (room: string, message: number) => ["receipts", room, message],
  mentions: (room: string) => ["mentions", room],
  tasks: (room: string) => ["tasks", room],
  closedTasks: (room: string) => ["tasks", room, "closed"],
  anyTask: (room: string) => ["task", room],
  task: (room: string, task: number) => ["task", room, task],
  mine: (room: string) => ["mine", room],
  members: (room: string) => ["members", room],
  activity: (room: string) => ["activity", room],
  files: (room: string) => ["files", room],
  admin: (what: string) => ["admin", what],
} as const satisfies Readonly<
  Record<string, readonly string[] | ((...names: never[]) => readonly (string | number)[])>
>;
