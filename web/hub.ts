import { createContext, useContext } from "react";
import {
  type AnswerOf,
  type Connection,
  type HubClient,
  HubRefusal,
  type InputOf,
  openHubClient,
  type OperationName,
} from "../src/client/hub-client.ts";

/** Who looks, and how its calls reach the hub. */
export interface Hub {
  readonly connection: Connection;
  readonly call: HubClient["call"];
  readonly me: AnswerOf<"whoami">;
  /** Whether this is a display that an observer's token opened: it shows, and changes nothing. */
  readonly isWall: boolean;
}

/** Calls as who is signed in: the browser brings its cookie by itself. With a token, as that one. */
export function connect(token?: string): Pick<Hub, "connection" | "call"> {
  const connection: Connection = { url: location.origin, token };
  return { connection, call: openHubClient(connection).call };
}

const HubContext = createContext<Hub | undefined>(undefined);
export const HubProvider = HubContext.Provider;

export function useHub(): Hub {
  const hub = useContext(HubContext);
  if (!hub) throw new Error("No hub around this.");
  return hub;
}

export const mayWrite = ({ me }: Hub): boolean => me.roles.includes("write");
export const isPerson = ({ me }: Hub): boolean => me.roles.includes("self");
export const administers = ({ me }: Hub): boolean => me.roles.includes("organization_admin");

/** Whether the session or token has ended, so that only signing in anew helps. */
export function hasEnded(error: unknown): boolean {
  return error instanceof HubRefusal && error.status === 401;
}

/** Leads to the sign-in and back to here. */
export function signInAgain() {
  location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Makes a retry safe. `crypto.randomUUID` is not there on plain http. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export type Room = AnswerOf<"list_rooms">["rooms"][number];
export type Message = AnswerOf<"read_messages">["messages"][number];
export type Task = AnswerOf<"list_tasks">["tasks"][number];
export type Status = Task["status"];
export type Member = AnswerOf<"list_agents">["agents"][number];
export type Event = AnswerOf<"read_events">["events"][number];
export type Waiting = AnswerOf<"check_inbox">["pending"][number];
export type Reply = AnswerOf<"check_replies">["replies"][number];
export type Profile = AnswerOf<"list_users">["users"][number];
export type { AnswerOf, InputOf, OperationName };
