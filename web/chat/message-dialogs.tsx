import { useQuery } from "@tanstack/react-query";
import { mayWrite, type Message, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { MemberMark } from "../ui/member-mark.tsx";
import { Ago } from "../ui/moment.tsx";
import { Answer, Empty } from "../ui/states.tsx";
import { Composer } from "./composer.tsx";
import { MessageRow } from "./message-row.tsx";

interface MessageDialogProps {
  readonly room: string;
  readonly message: Message;
  readonly onClose: () => void;
}

/** A message with all that answered it. */
export function Thread({ room, message, onClose }: MessageDialogProps) {
  const hub = useHub();
  const thread = useQuery({
    queryKey: keys.thread(room, message.id),
    queryFn: () => hub.call("read_messages", { room, thread: message.id, since_id: 0, limit: 200 }),
  });
  return (
    <Dialog title={TEXTS.chat.thread(message.id)} aside onClose={onClose}>
      <div className="thread">
        <Answer of={thread}>
          {({ messages }) => {
            const all = messages.some(({ id }) => id === message.id) ? messages : [message, ...messages];
            return all.map((one) => <MessageRow key={one.id} room={room} message={one} />);
          }}
        </Answer>
      </div>
      {mayWrite(hub) && <Composer room={room} replyTo={message} />}
    </Dialog>
  );
}

/** How far a message came to each member that it is for. */
export function Receipts({ room, message, onClose }: MessageDialogProps) {
  const { call } = useHub();
  const receipts = useQuery({
    queryKey: keys.receipts(room, message.id),
    queryFn: () => call("get_receipts", { room, message_id: message.id, limit: 200 }),
    refetchInterval: 3_000,
  });
  const { chat, members } = TEXTS;
  return (
    <Dialog title={chat.receiptsOf(message.id)} aside onClose={onClose}>
      <Answer of={receipts}>
        {({ receipts: all }) =>
          all.length === 0 ? (
            <Empty title={chat.noReceipts} />
          ) : (
            <ul className="rows">
              {all.map(({ member, state, handed_over, nudged, acknowledged_ts, paths }) => {
                const at = acknowledged_ts ?? handed_over?.ts ?? nudged?.ts;
                const by = handed_over?.path ?? nudged?.path;
                return (
                  <li key={member}>
                    <MemberMark handle={member} />
                    <div className="row-text">
                      <p className="row-head">
                        <strong>{member}</strong>
                        <span className={`chip receipt-${state}`}>{chat.states[state]}</span>
                      </p>
                      <p className="quiet">
                        {at !== undefined && <Ago at={at} />}
                        {by !== undefined && ` · ${members.paths[by] ?? by}`}
                        {paths && (paths.length > 0 ? chat.livePaths(paths.join(", ")) : chat.noPath)}
                      </p>
                    </div>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Answer>
    </Dialog>
  );
}
