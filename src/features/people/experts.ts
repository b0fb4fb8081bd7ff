import { wordsOf } from "../../store/words.ts";
import type { ProfileRow } from "./profile-queries.ts";

/** What speaks for asking a coworker, in points. */
export interface Breakdown {
  /** What it looks after names what is asked about. */
  readonly ownership: number;
  /** Answers of its that the asker may see are about it. */
  readonly answers: number;
  /** Its own notes name it. */
  readonly notes: number;
  /** The two have exchanged questions before. */
  readonly familiarity: number;
}

/** What is known of a coworker besides the profile: answers that fit, and messages exchanged with the asker. */
export interface Known {
  readonly answers: number;
  readonly messages: number;
}

/** Ownership weighs more than any number of answers, those more than notes, and knowing each other least. */
const POINTS = { ownership: 5, answer: 1, mostAnswers: 4, notes: 2, message: 0.2, mostMessages: 5 } as const;

/** How much speaks for asking somebody about these words. */
export function weigh(words: readonly string[], person: ProfileRow, { answers, messages }: Known): Breakdown {
  const owned = (JSON.parse(person.ownership) as string[]).join("\n"); // written by updateProfile
  return {
    ownership: POINTS.ownership * shareOf(words, owned),
    answers: POINTS.answer * Math.min(answers, POINTS.mostAnswers),
    notes: POINTS.notes * shareOf(words, person.notes),
    familiarity: POINTS.message * Math.min(messages, POINTS.mostMessages),
  };
}

/** The points together, to two decimals. Who only knows the asker knows nothing of the matter: that is no reason. */
export function scoreOf({ ownership, answers, notes, familiarity }: Breakdown): number {
  const matter = ownership + answers + notes;
  return matter === 0 ? 0 : Math.round((matter + familiarity) * 100) / 100;
}

/** Why, in one sentence. It repeats nothing that anybody wrote. */
export function reasonOf({ ownership, answers, notes, familiarity }: Breakdown): string {
  const reasons = [
    ...(ownership > 0 ? ["looks after it"] : []),
    ...(answers > 0 ? [`answered ${answers / POINTS.answer} like it`] : []),
    ...(notes > 0 ? ["mentions it in the notes"] : []),
    ...(familiarity > 0 ? ["has exchanged questions with you"] : []),
  ];
  return `${reasons.join(", ")}.`.replace(/^./, (first) => first.toUpperCase());
}

/** Which part of the words a text has, as a whole or as the beginning of one of its own: "payment" finds "payments". */
function shareOf(words: readonly string[], text: string): number {
  const theirs = wordsOf(text, "searched");
  const matched = words.filter((word) =>
    theirs.some((one) => one === word || (word.length >= 4 && one.startsWith(word))),
  );
  return words.length === 0 ? 0 : matched.length / words.length;
}
