import { memo, useState } from "react";
import { Attachments } from "../files/attachments.tsx";
import { mayWrite, type Message, useHub } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { Icon, type IconName } from "../ui/icons.tsx";
import { MemberMark } from "../ui/member-mark.tsx";
import { Clock } from "../ui/moment.tsx";
import { Rich, writtenOut } from "../ui/text.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { RetractDialog } from "./retract-dialog.tsx";

interface MessageRowProps {
  readonly room: string;
  readonly message: Message;
  /** Whether its author is a person or an agent, once that is known. */
  readonly kind?: string | undefined;
  /** What it answers, if that is here. */
  readonly parent?: Message | undefined;
  /** Whether it stands under the name of the one before it. */
  readonly continues?: boolean;
  readonly isMarked?: boolean;
  readonly onReply?: (message: Message) => void;
  readonly onThread?: (message: Message) => void;
  readonly onReceipts?: (message: Message) => void;
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message, kind, parent, continues = false, isMarked = false, onThread } = props;
  const { id, author, ts, body, reply_to, attachments, retracted } = message;
  const { me } = useHub();
  const names = body.includes(`@${me.user_id}`) && author !== me.user_id;
  const kinds = ["message", continues && "continues", isMarked && "marked", names && "names-you"];
  return (
    // Focus is how a finger asks for what can be done with it.
    <article className={kinds.filter(Boolean).join(" ")} aria-label={`m${id}, ${author}`} tabIndex={-1}>
      <div className="message-side">{continues ? <Clock at={ts} /> : <MemberMark handle={author} kind={kind} />}</div>
      <div className="message-main">
        {!continues && (
          <p className="row-head">
            <strong>{author}</strong>
            <span className="quiet">
              m{id} · <Clock at={ts} />
            </span>
          </p>
        )}
        {reply_to !== null && (
          <button type="button" className="quote" onClick={() => onThread?.(parent ?? message)} disabled={!onThread}>
            <Icon name="reply" />
            <span>{TEXTS.chat.inThread(reply_to)}</span>
            {parent && <span className="quote-text">{writtenOut(parent.body.slice(0, 120))}</span>}
          </button>
        )}
        {retracted ? <p className="quiet retracted">{TEXTS.chat.retracted(retracted.by)}</p> : <Rich text={body} />}
        {attachments && <Attachments room={props.room} ids={attachments} />}
      </div>
      {!retracted && <MessageActions {...props} />}
    </article>
  );
});

function MessageActions({ room, message, onReply, onThread, onReceipts }: MessageRowProps) {
  const hub = useHub();
  const [isRetracting, setRetracting] = useState(false);
  const { chat } = TEXTS;
  const writes = mayWrite(hub);
  const isMine = message.author === hub.me.user_id;
  const acknowledge = useCommand(() => hub.call("acknowledge", { room, message_id: message.id }), {
    done: () => tell(chat.acknowledged),
  });
  const actions: readonly (readonly [IconName, string, (() => void) | false | undefined])[] = [
    ["reply", chat.reply, writes && onReply && (() => onReply(message))],
    ["check", chat.acknowledge, writes && !isMine && (() => acknowledge.mutate())],
    ["thread", chat.open, onThread && (() => onThread(message))],
    ["eye", chat.receipts, onReceipts && (() => onReceipts(message))],
    ["close", chat.retract, writes && (isMine || hub.me.roles.includes("admin")) && (() => setRetracting(true))],
  ];
  return (
    <div className="message-actions" role="group" aria-label={chat.more}>
      {actions.map(
        ([icon, name, act]) =>
          act && (
            <button
              key={icon}
              type="button"
              className="bare"
              title={name}
              aria-label={`${name}: m${message.id}`}
              onClick={act}
            >
              <Icon name={icon} />
            </button>
          ),
      )}
      {isRetracting && <RetractDialog room={room} message={message} onClose={() => setRetracting(false)} />}
    </div>
  );
}
