import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { HubError } from "../../core/errors.ts";
import { type Core, execute } from "../../core/execute.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Caller } from "../../core/operation.ts";
import type { JsonObject } from "../json-body.ts";
import type { InboundOperations } from "./operations.ts";

/** A pull request that was merged, and the tasks it names. */
export interface Merged {
  readonly url: string;
  readonly tasks: readonly number[];
}

/** What became of a task that it names. */
export interface Outcome {
  readonly task_id: number;
  readonly linked: boolean;
  readonly status: string | null;
  /** Why it was not all done: the refusal's code. */
  readonly refused?: string;
}

/** @source GitHub: "Validating webhook deliveries", `X-Hub-Signature-256: sha256=<hex>` over the body's bytes. */
export function isSignedByGitHub(content: Uint8Array, header: string | string[] | undefined, secret: string): boolean {
  if (typeof header !== "string" || secret === "") return false;
  const wanted = Buffer.from(`sha256=${createHmac("sha256", secret).update(content).digest("hex")}`);
  const given = Buffer.from(header);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const MOST_TASKS = 10;
/** `Crewroom #12`, `crewroom#12`, `Crewroom: #12`: GitHub's own numbers look like the bare ones. */
const NAMES_TASK = /\bcrewroom:?[ \t]*#([1-9]\d{0,8})\b/gi;

const event = z.object({
  action: z.literal("closed"),
  pull_request: z.object({
    merged: z.literal(true),
    html_url: z.url({ protocol: /^https?$/ }).max(LIMITS.linkUrl),
    title: z.string(),
    body: z.string().nullish(),
  }),
});

/** What an event tells, if it is that a pull request which names tasks was merged. */
export function readPullRequest(kind: string | string[] | undefined, sent: JsonObject): Merged | undefined {
  const read = event.safeParse(sent);
  if (kind !== "pull_request" || !read.success) return undefined;
  const { html_url: url, title, body } = read.data.pull_request;
  const named = [...`${title}\n${body ?? ""}`.matchAll(NAMES_TASK)].map(([, number]) => Number(number));
  return { url, tasks: [...new Set(named)].slice(0, MOST_TASKS) };
}

/** Links it to each task it names, and finishes them if so set. What a task's state does not allow stays undone and is said. */
export async function tellMerged(
  core: Core,
  operations: Pick<InboundOperations, "getTask" | "updateTask">,
  caller: Caller,
  { url, tasks }: Merged,
  finishes: boolean,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const task of tasks) {
    const changing = { core, operations, caller, task };
    const linked = await change(changing, ({ links }) =>
      links.includes(url) ? undefined : { links: [...links, url] },
    );
    const finished =
      finishes && !("refused" in linked)
        ? await change(changing, ({ status }) => (OVER.has(status) ? undefined : { status: "done" }))
        : linked;
    const { status } = "refused" in finished ? linked : finished;
    const refused = "refused" in finished ? { refused: finished.refused } : {};
    outcomes.push({ task_id: task, linked: !("refused" in linked), status, ...refused });
  }
  return outcomes;
}

/** Nothing is left to finish here: what is in review waits for its reviewer. */
const OVER: ReadonlySet<string> = new Set(["done", "cancelled", "in_review"]);

/** What of a task is looked at; the operation's answer has it. */
interface Task {
  readonly links: readonly string[];
  readonly status: string;
  readonly version: number;
}

interface Changing {
  readonly core: Core;
  readonly operations: Pick<InboundOperations, "getTask" | "updateTask">;
  readonly caller: Caller;
  readonly task: number;
}

type Changed = { readonly status: string } | { readonly refused: string; readonly status: null };

const ATTEMPTS = 5;

/** Changes a task as `plan` says of it as it stands; when somebody changed it meanwhile, of that. */
async function change(
  { core, operations, caller, task }: Changing,
  plan: (task: Task) => JsonObject | undefined,
): Promise<Changed> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { value } = await execute(core, operations.getTask, { caller, input: { task_id: task } });
      const found = value["task"] as Task; // the operation's answer has it
      const wanted = plan(found);
      if (!wanted) return { status: found.status };
      const input = { task_id: task, expected_version: found.version, ...wanted };
      const { value: answer } = await execute(core, operations.updateTask, { caller, input });
      if (answer["updated"] === true) return { status: (answer["task"] as Task).status };
    }
    return { refused: "changed_meanwhile", status: null };
  } catch (error) {
    if (!(error instanceof HubError) || error.status >= 500) throw error;
    return { refused: error.code, status: null };
  }
}
