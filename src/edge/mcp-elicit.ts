import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { printable } from "../core/frame.ts";
import type { AskPerson } from "../core/operation.ts";

/** What was asked, sealed while it is with the client: what its person would agree to, if that can be said in a prompt. */
interface Asked {
  readonly hash?: string;
}

/** How long (s) a prompt may stay open. */
const PATIENCE = 15 * 60;
const KEY = "approve";

/**
 * Asking the person within a call, as the revision 2026-07-28 does it: the answer is a question for the client to put, and
 * the same call comes again with what the person said. A client that was asked once is not asked again.
 *
 * @param key         seals what was asked; the same on every node.
 * @param credential  whose call it is: nobody else may come with the seal.
 */
export function openElicitation(key: Uint8Array, credential: string) {
  const codec = createRequestStateCodec<Asked>({ key, ttlSeconds: PATIENCE, bind: () => credential });
  return {
    /** For the SDK, which refuses a seal that is not ours. */
    verify: codec.verify,

    /** The hash of what the person accepted in the client's prompt. */
    consentIn({ mcpReq }: ServerContext): string | undefined {
      const said = inputResponse(mcpReq.inputResponses, KEY);
      const accepted = said.kind === "elicit" && said.action === "accept" && said.content?.[KEY] === true;
      return accepted ? mcpReq.requestState<Asked>()?.hash : undefined;
    },

    /** The question to the person, where the client can put it: the text itself in a form, or the page that shows it. */
    async ask(asks: AskPerson, context: ServerContext): Promise<InputRequiredResult | undefined> {
      if (context.mcpReq.requestState() !== undefined) return undefined;
      const { form, url } = abilitiesOf(context);
      const { consent } = asks;
      if (consent && form) {
        const inputRequests = {
          [KEY]: inputRequired.elicit({ message: promptOf(asks.says, consent.text), requestedSchema: FORM }),
        };
        return inputRequired({ inputRequests, requestState: await codec.mint({ hash: consent.hash }, context) });
      }
      if (!url) return undefined;
      const inputRequests = { [KEY]: inputRequired.elicitUrl({ message: asks.says, url: asks.url }) };
      return inputRequired({ inputRequests, requestState: await codec.mint({}, context) });
    },
  };
}

const FORM = {
  type: "object" as const,
  properties: { [KEY]: { type: "boolean" as const, title: "I approve exactly this text" } },
  required: [KEY],
};

function promptOf(says: string, text: string): string {
  return `${says}\n\n${printable(text)}`;
}

/** What this client's prompts can show, as the request says itself. */
function abilitiesOf({ mcpReq }: ServerContext): { form: boolean; url: boolean } {
  // The SDK has checked its form, and says nothing of it in its types.
  const envelope: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined = mcpReq.envelope;
  const elicitation = envelope?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation;
  return { form: elicitation?.form !== undefined, url: elicitation?.url !== undefined };
}
