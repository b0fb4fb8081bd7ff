import type { Command } from "commander";
import { type AnswerOf, openHubClient } from "../client/hub-client.ts";
import { fail } from "../core/errors.ts";
import { framePlain, type PeerText } from "../core/frame.ts";
import { fitsPrompt, suffices } from "../features/approval/model.ts";
import { connectionFrom, type ConnectionOptions, withConnection } from "./connection.ts";
import { readPassword } from "./password-prompt.ts";
import { type OutputOption, type Shell, withOutput } from "./shell.ts";

interface InboxOptions extends ConnectionOptions, OutputOption {}
interface ApproveOptions extends InboxOptions {
  readonly passwordStdin?: true;
}

/** `inbox` and `approve`: a person's own side of the questions it is asked, at a terminal. */
export function addQuestionCommands(program: Command, shell: Shell): void {
  withConnection(
    withOutput(program.command("inbox").description("the questions that wait for you, oldest first")),
  ).action((options: InboxOptions) => showInbox(shell, options));
  withConnection(
    withOutput(
      program
        .command("approve")
        .description("read a draft that waits for you and approve it with your password; it counts as prompted"),
    ),
  )
    .argument("<approval>", "its id, apr_…, as in the address of its page")
    .option("--password-stdin", "read the password from standard input instead of asking for it")
    .action((approval: string, options: ApproveOptions) => approve(shell, approval, options));
}

async function showInbox({ output }: Shell, options: InboxOptions) {
  const client = openHubClient(connectionFrom(options, output));
  const pending: AnswerOf<"check_inbox">["pending"] = [];
  for (let since_id = 0; ;) {
    const page = await client.call("check_inbox", { since_id });
    pending.push(...page.pending);
    if (page.next === null) break;
    since_id = page.next.since_id;
  }
  if (options.json) return output.value({ count: pending.length, pending });
  if (pending.length === 0) return output.say("Nothing waits for you.");
  output.say(framePlain(pending.flatMap(textsOf)));
}

function textsOf({ id, from_user_id, created_at, ...item }: AnswerOf<"check_inbox">["pending"][number]): PeerText[] {
  const { query_text, options = [], status, draft_response, draft_by, approve_url } = item;
  const asked = { label: `q${id} from ${from_user_id}, ${created_at}, ${status}:`, text: query_text };
  const choices = options.map((text, at) => ({ label: `q${id}, answer ${at + 1} to choose:`, text }));
  if (draft_response === null) return [asked, ...choices];
  const where = approve_url === undefined ? "" : `, to approve at ${approve_url}`;
  return [asked, ...choices, { label: `q${id}, draft by ${draft_by}${where}:`, text: draft_response }];
}

async function approve({ output }: Shell, approval_id: string, options: ApproveOptions) {
  const connection = connectionFrom(options, output);
  const client = openHubClient(connection);
  const shown = await client.call("show_approval", { approval_id });
  refuseWhatCannotBe(shown, `${connection.url.replace(/\/+$/, "")}/approve/${approval_id}`);
  output.note(framePlain(textsToApprove(shown)));
  const password = await readPassword(
    `Your password, to send exactly this to ${shown.from_user_id}: `,
    options.passwordStdin === true,
  );
  const sent = await client.call("approve_answer", { approval_id, hash: shown.hash, password });
  if (options.json) return output.value(sent);
  output.say(`Sent to ${shown.from_user_id} as the answer to q${sent.message_id}; it counts as ${sent.assurance}.`);
}

/** What a password at a terminal cannot approve is told before it is asked for. @throws HubError */
function refuseWhatCannotBe(shown: AnswerOf<"show_approval">, url: string) {
  if (shown.state !== "open") throw fail("approval_closed", { state: shown.state });
  if (!suffices("prompted", shown.minimum))
    throw fail("level_too_low", { level: "prompted", minimum: shown.minimum, url });
  if (!fitsPrompt(shown)) throw fail("page_only", { url });
}

function textsToApprove({
  message_id,
  from_user_id,
  asked_by,
  query_text,
  text,
  requested_by,
}: AnswerOf<"show_approval">) {
  const by = asked_by === from_user_id ? "" : ` by ${asked_by}`;
  return [
    { label: `q${message_id} from ${from_user_id}${by}:`, text: query_text },
    { label: `The answer, drafted by ${requested_by}, to be sent to ${from_user_id} alone:`, text },
  ];
}
