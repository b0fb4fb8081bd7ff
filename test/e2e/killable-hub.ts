import { join } from "node:path";
import { sql } from "../../src/store/sql.ts";
import { type Actor, makeActor, type Value } from "../../src/testkit/actor.ts";
import { type Ended, runProcess } from "../../src/testkit/command.ts";
import type { StoreKind } from "../../src/testkit/databases.ts";
import { makeDurableDatabase } from "../../src/testkit/durable-database.ts";
import { openStoreAt } from "../../src/testkit/store.ts";
import { type Node, startNode } from "../soak/arena.ts";

const HUB = join(import.meta.dirname, "../soak/hub-process.ts");

/** A hub that is a process of its own, with the cast in it: it can be killed, and started again at its address. */
export interface KillableHub extends AsyncDisposable {
  readonly url: string;
  readonly node: Node;
  as(handle: string): Actor;
  token(handle: string): string;
  /** The cookie of a browser in which a person has signed in. */
  session(person: string): Promise<string>;
  /** Starts it again once it is dead. */
  revive(): Promise<void>;
  /** `crewroom verify answer <number>`, beside the running hub. */
  verify(question: number): Promise<Ended & { readonly said: Value }>;
  /** The answers that the log tells of, by number, oldest first. */
  answered(): Promise<number[]>;
  /** Flips the lowest bit of one byte of an answer, in the database. */
  flipByte(question: number): Promise<void>;
}

export async function startKillable(kind: StoreKind): Promise<KillableHub> {
  const database = await makeDurableDatabase(kind);
  const environment = {
    CREWROOM_LOG: "silent",
    CREWROOM_CALLS_PER_MINUTE: "0",
    DATABASE_URL: "",
    ...database.environment,
  };
  const node = await startNode(HUB, environment);
  const tokens = await node.ask<Record<string, string>>("seatCast");
  const url = `http://127.0.0.1:${node.port}`;
  const token = (handle: string) => tokens[handle] ?? "";
  const opened = () => openStoreAt(kind, environment);

  return {
    url,
    node,
    token,
    as: (handle) => makeActor(url, handle, token(handle)),
    session: (person) => node.ask<string>("signIn", person),
    async revive() {
      await node.kill();
      await node.start();
    },
    async verify(question) {
      const ended = await runProcess(["verify", "answer", String(question), "--json"], environment);
      return { ...ended, said: JSON.parse(ended.out) as Value }; // one object, by --json
    },
    async answered() {
      await using place = await opened();
      const rows = await place.store.read((tx) =>
        tx.all<{ question: number }>(
          sql`select question from events where kind = 'question_answered' order by position`,
        ),
      );
      return rows.map((row) => row.question);
    },
    async flipByte(question) {
      await using place = await opened();
      await place.store.write("main", async (tx) => {
        const row = await tx.one<{ answer: string }>(sql`select answer from questions where number = ${question}`);
        const bytes = Buffer.from(row?.answer ?? "");
        bytes[0] = (bytes[0] ?? 0) ^ 1;
        await tx.run(sql`update questions set answer = ${bytes.toString()} where number = ${question}`);
      });
    },
    async [Symbol.asyncDispose]() {
      await node.kill();
      await database[Symbol.asyncDispose]();
    },
  };
}
