// Hashes passwords as the hub does, as many at a time, while it is told to: the cost of a storm of sign-ins without its hub.
import { passwords } from "./passwords.ts";

/** More than are hashed at a time. */
const LINE = 16;
let hashing = false;

process.on("message", (told) => {
  hashing = told === "hash";
  if (hashing) for (let place = 0; place < LINE; place += 1) void hashOn();
  process.send?.(told);
});
process.on("disconnect", () => process.exit());

async function hashOn() {
  while (hashing) await passwords.hash("a guess");
}
