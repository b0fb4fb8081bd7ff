import { cursorOf } from "../core/event-log.ts";
import type { LoggedEvent } from "../core/events.ts";
import { toIso } from "../core/fields.ts";

/** A message as a `chat` frame carries it; `id` is its number. */
export type ChatMessage = Readonly<Record<string, unknown>> & { readonly id: number };

/** What happened to a question, as a `question` frame carries it; `id` is the event's position. */
export type Question = Readonly<Record<string, unknown>> & { readonly id: number; readonly actor: string };

/** One event written out as those see it who did not do it and whom it is not for. */
export interface WrittenEvent {
  readonly actor: string;
  /** Whom it is especially for. */
  readonly concerns: readonly string[];
  readonly text: string;
}

/**
 * Writes an event as frames: a message's `chat` first, then the `activity` with its id. So a reader cut off between the
 * two, which resumes by the last id it saw, gets both again rather than one never.
 *
 * @source Framing: HTML Living Standard, "Server-sent events". JSON has no raw line breaks, so a value is one data line.
 */
export function writeEvent(epoch: string, event: LoggedEvent, message: ChatMessage | undefined): WrittenEvent {
  const { position, at, kind, actor, task, message: message_id, file, detail, concerns } = event;
  const chat = message ? frame("chat", message) : "";
  const ofFile = file === null ? {} : { file_id: file };
  const numbers = { task_id: task, message_id, ...ofFile };
  const activity = { id: position, ts: toIso(at), kind, actor, ...numbers, detail, by_you: false };
  return { actor, concerns, text: chat + frame("activity", activity, cursorOf({ epoch, position }, position)) };
}

/** Writes an event of a question. Its text is no part of it: who may read that asks for it. */
export function writeQuestion(epoch: string, question: Question, concerns: readonly string[]): WrittenEvent {
  const { id, actor } = question;
  const text = frame("question", { ...question, by_you: false }, cursorOf({ epoch, position: id }, id));
  return { actor, concerns, text };
}

const BY_OTHERS = '"by_you":false}\n\n';

/** The event as `handle` sees it. Written once for everybody, so only its end differs. */
export function textFor(handle: string, { actor, concerns, text }: WrittenEvent): string {
  if (actor === handle) return `${text.slice(0, -BY_OTHERS.length)}"by_you":true}\n\n`;
  return concerns.includes(handle) ? `${text.slice(0, -BY_OTHERS.length)}"for_you":true,${BY_OTHERS}` : text;
}

/** One frame with JSON for data. */
export function frame(event: string, data: unknown, id?: string): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The first lines: which room, from where on, and how long (ms) to wait before a reconnect, which differs so that not all return at once. */
export function opening(room: string, cursor: string): string {
  const retry = 1_000 + Math.floor(Math.random() * 2_000);
  return `: room=${room} after=${cursor.slice(cursor.indexOf(".") + 1)} cursor=${cursor}\nretry: ${retry}\n\n`;
}

export const KEEPALIVE = ": keepalive\n\n";
