/** What became of the things of one kind. */
export interface Count {
  imported: number;
  /** Brought over by an earlier run. */
  already: number;
  /** Left out; the notes say why. */
  skipped: number;
}

/** What an import did. */
export interface Report {
  readonly system: "chatroom" | "ctalk";
  readonly source: string;
  readonly organizations: string[];
  readonly counts: Record<string, Count>;
  /** Names that the rule here does not allow, or that were taken; the old one is the display name. */
  readonly renamed: {
    readonly organization: string;
    readonly kind: string;
    readonly old: string;
    readonly new: string;
  }[];
  /** Items are numbered anew, per room in the order of time: `task` 17 of there is #3 of `room` here. */
  readonly numbers: {
    readonly organization: string;
    readonly room: string | null;
    readonly kind: string;
    readonly old: string;
    readonly new: number;
  }[];
  /** What is not as it was, and why. */
  readonly notes: string[];
}

export function emptyReport(system: Report["system"], source: string): Report {
  return { system, source, organizations: [], counts: {}, renamed: [], numbers: [], notes: [] };
}

export function count(report: Report, kind: string, what: keyof Count, by = 1): void {
  const counts = (report.counts[kind] ??= { imported: 0, already: 0, skipped: 0 });
  counts[what] += by;
}

/** Notes something once, however often it comes. */
export function note(report: Report, text: string): void {
  if (!report.notes.includes(text)) report.notes.push(text);
}
