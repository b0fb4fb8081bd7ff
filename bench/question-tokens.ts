// What a question weighs for the models on both sides, from ask_person to the reply, as an official MCP client gives it to them:
// the tools they call, what they put in and what comes back. The page is the person's own.
import { countTokens } from "gpt-tokenizer";
import { makeBrowser, type Value } from "../src/testkit/actor.ts";
import { connect, type McpActor } from "../src/testkit/mcp-client.ts";
import { line } from "./figures.ts";
import type { Child } from "./processes.ts";
import { answerTo, questionText } from "./words.ts";

interface Weight {
  readonly side: string;
  readonly tool: string;
  readonly call: number;
  readonly answer: number;
}

/** Prints the loop call by call, and what all of it weighs more than the question and the answer do, told once on each side. */
export async function weighLoop({ ready: { port, tokens } }: Child) {
  const hub = { url: `http://127.0.0.1:${port}`, token: (handle: string) => tokens[handle] ?? "" };
  await using asker = await connect(hub, "asker0bot");
  await using asked = await connect(hub, "asked0bot");
  const page = makeBrowser(hub.url, "asked0", hub.token("asked0 web"));
  const weights: Weight[] = [];
  const by = (side: string, mcp: McpActor) => (tool: string, input: Value) =>
    weigh(weights, { side, mcp, tool, input });
  const [askersModel, askedsModel] = [by("asks", asker), by("answers", asked)];
  const [question, answer] = [questionText(1), answerTo(1)];

  const { message_id } = await askersModel("ask_person", { to_user_id: "asked0", question });
  await askedsModel("check_inbox", {});
  await askedsModel("propose_response", { message_id, draft_text: answer });
  const { approval_id } = await askedsModel("send_response", { message_id });
  const { hash } = await page.call("show_approval", { approval_id });
  await page.call("approve_answer", { approval_id, hash });
  await askersModel("check_replies", {});

  print(weights, 2 * (countTokens(question) + countTokens(answer)));
}

async function weigh(
  weights: Weight[],
  { side, mcp, tool, input }: { side: string; mcp: McpActor; tool: string; input: Value },
): Promise<Value> {
  const answer = await mcp.text(tool, input);
  const call = countTokens(JSON.stringify({ name: tool, arguments: input }));
  weights.push({ side, tool, call, answer: countTokens(answer) });
  return JSON.parse(answer) as Value; // a refusal is no JSON: it throws
}

function print(weights: readonly Weight[], own: number) {
  console.log(line("", ["call", "answer"]));
  for (const { side, tool, call, answer } of weights) console.log(line(`${side}: ${tool}`, [`${call}`, `${answer}`]));
  const total = weights.reduce((sum, { call, answer }) => sum + call + answer, 0);
  console.log(line("in all", [`${total}`]));
  console.log(line("question and answer, once a side", [`${own}`]));
  console.log(line("overhead", [`${total - own}`]));
}
