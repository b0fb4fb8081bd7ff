// A process full of clients: they call over HTTP as strangers would, and tell what they were answered.
import { claimAtOnce, claimNextAtOnce } from "./claimers.ts";
import { followStream, readNewsWithAck, readNewsWithoutCuts, readPages } from "./readers.ts";
import { answerQuestions } from "./rpc.ts";
import { writeUntilAcknowledged, writeUntilTold } from "./writers.ts";

/** What a client of this process may look at to know when to end. */
const told = { stop: false, head: Number.POSITIVE_INFINITY };

answerQuestions({
  claimAtOnce,
  claimNextAtOnce,
  write: (job: Parameters<typeof writeUntilTold>[0]) => writeUntilTold(job, told),
  writeThroughCrashes: (job: Parameters<typeof writeUntilAcknowledged>[0]) => writeUntilAcknowledged(job, told),
  readPages: (job: Parameters<typeof readPages>[0]) => readPages(job, told),
  followStream: (job: Parameters<typeof followStream>[0]) => followStream(job, told),
  readNewsWithAck: (job: Parameters<typeof readNewsWithAck>[0]) => readNewsWithAck(job, told),
  readNewsWithoutCuts: (job: Parameters<typeof readNewsWithoutCuts>[0]) => readNewsWithoutCuts(job, told),
  /** Writers end; readers end once they have seen this position. */
  stop(head?: number) {
    told.stop = true;
    if (head !== undefined) told.head = head;
  },
});
