// A hub as a process of its own, for others to load, to stop and to kill. What it can be asked besides HTTP is what a test
// of the hub can do as well: seat members, move the clock, tell what it used.
import { addMember, type Role, seat, seatPeople, signInAs } from "../../src/testkit/cast.ts";
import { readSettings } from "../../src/config.ts";
import { startHub } from "../../src/hub.ts";
import { type Death, dieAt } from "../../scripts/demo/die-at.ts";
import { answerQuestions } from "./rpc.ts";

const clock = { offset: 0 };
const hub = await startHub(readSettings(), { clock });

answerQuestions({
  port: () => hub.port,
  async seat(members: Readonly<Record<string, Role>>) {
    const tokens: Record<string, string> = {};
    await hub.store.write("main", async (tx) => {
      for (const [handle, role] of Object.entries(members)) tokens[handle] = await addMember(tx, "main", handle, role);
    });
    return tokens;
  },
  async seatCast() {
    return Object.fromEntries([...(await seat(hub.store)), ...(await seatPeople(hub.store))]);
  },
  signIn: (person: string) => hub.store.write("main", (tx) => signInAs(tx, "main", person, "web")),
  dieAt: (death: Death) => dieAt(hub, death),
  later(ms: number) {
    clock.offset += ms;
    hub.callers.forget();
  },
  used: () => ({ cpu: process.cpuUsage(), memory: process.memoryUsage() }),
  close: () => hub.close(),
});
