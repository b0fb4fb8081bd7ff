// Passwords as the hub hashes them, for whoever is not to be slowed down.
import { openPasswords } from "../src/access/passwords.ts";
import { openThrottle } from "../src/access/throttle.ts";

const NO_THROTTLE = openThrottle({ limit: 0, windowSeconds: 1 });

export const passwords = openPasswords({
  byAddress: NO_THROTTLE,
  byAccount: NO_THROTTLE,
  byOwner: NO_THROTTLE,
  limitStranger: async () => undefined,
});
