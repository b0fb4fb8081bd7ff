/** Whom a text names: handles as written (lower case), and whether it calls the whole room. */
export interface Mentions {
  readonly handles: readonly string[];
  readonly room: boolean;
}

const CODE_BLOCK = /```[\s\S]*?(?:```|$)/g;
const CODE_SPAN = /`[^`\n]*`/g;
const QUOTED_LINE = /^[ \t]*>.*$/gm;
// Not after a letter, digit or the signs of an address or path; not before what makes it one (`@box1.example`).
const MENTION = /(?<![\p{L}\p{N}_@./:+=&?#-])@([a-z0-9][a-z0-9_-]{0,63})(?![\p{L}\p{N}_@/]|[.:][\p{L}\p{N}])/giu;

/** Finds `@handle` and `@room` outside code, quoted lines and addresses. Whether a handle exists is not asked here. */
export function mentionsIn(body: string): Mentions {
  const spoken = body.replace(CODE_BLOCK, " ").replace(CODE_SPAN, " ").replace(QUOTED_LINE, " ");
  const names = new Set<string>();
  for (const [, written = ""] of spoken.matchAll(MENTION)) {
    const handle = written.toLowerCase();
    names.add(handle);
    // "@box1-" at the end of a phrase means box1, unless a member has that very handle.
    names.add(handle.replace(/[-_]+$/, ""));
  }
  const room = names.delete("room") || names.delete("all");
  return { handles: [...names], room };
}
