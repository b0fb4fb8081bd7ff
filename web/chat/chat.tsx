import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useRef, useState } from "react";
import { useSearch } from "wouter";
import { useMembers } from "../delivery/use-members.ts";
import { DropPlace } from "../files/drop-place.tsx";
import { mayWrite, type Message, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { dayOf } from "../ui/moment.tsx";
import { Answer, Empty } from "../ui/states.tsx";
import { Composer } from "./composer.tsx";
import { MessageRow } from "./message-row.tsx";
import { type Chat as Messages, readLatest, readOlder } from "./messages.ts";
import { Receipts, Thread } from "./message-dialogs.tsx";
import { useAttachments } from "./use-attachments.tsx";
import { useTakeNote } from "./take-note.ts";

/** What a message is looked at for beside the chat. */
type Beside = { readonly thread: Message } | { readonly receipts: Message } | undefined;

/** A room's messages, live, with the field to write the next one. */
export function Chat({ room }: { readonly room: string }) {
  const hub = useHub();
  const chat = useQuery({ queryKey: keys.messages(room), queryFn: () => readLatest(hub, room), staleTime: Infinity });
  const [replyTo, setReplyTo] = useState<Message>();
  const [beside, setBeside] = useState<Beside>();
  const files = useAttachments(room);
  // The same ones each time: a row that is not drawn anew is not taken apart anew.
  const onThread = useCallback((thread: Message) => setBeside({ thread }), []);
  const onReceipts = useCallback((receipts: Message) => setBeside({ receipts }), []);
  useTakeNote(room, chat.data?.messages.at(-1)?.id);
  return (
    <DropPlace className="chat" onFiles={mayWrite(hub) ? files.onFiles : undefined}>
      <Answer of={chat} lines={8}>
        {(data) =>
          data.messages.length === 0 ? (
            <Empty title={TEXTS.chat.empty}>{TEXTS.chat.emptyNext}</Empty>
          ) : (
            <MessageList room={room} chat={data} onReply={setReplyTo} onThread={onThread} onReceipts={onReceipts} />
          )
        }
      </Answer>
      {mayWrite(hub) && <Composer key={room} room={room} replyTo={replyTo} onReplyTo={setReplyTo} files={files} />}
      {beside && "thread" in beside && (
        <Thread room={room} message={beside.thread} onClose={() => setBeside(undefined)} />
      )}
      {beside && "receipts" in beside && (
        <Receipts room={room} message={beside.receipts} onClose={() => setBeside(undefined)} />
      )}
    </DropPlace>
  );
}

interface MessageListProps {
  readonly room: string;
  readonly chat: Messages;
  readonly onReply: (message: Message) => void;
  readonly onThread: (message: Message) => void;
  readonly onReceipts: (message: Message) => void;
}

/** With how many messages before those that are drawn the page before them is fetched. */
const AHEAD = 20;
const USUAL_HEIGHT = 64;
/** Messages of one author within this (ms) stand under one name. */
const TOGETHER = 5 * 60_000;

/** Only what can be seen is drawn, so ten thousand messages scroll like ten. */
function MessageList({ room, chat, ...on }: MessageListProps) {
  const { messages, hasOlder } = chat;
  const place = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: messages.length,
    getScrollElement: () => place.current,
    estimateSize: () => USUAL_HEIGHT,
    getItemKey: (index) => messages[index]?.id ?? index,
    overscan: 6,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: 80,
  });
  const marked = useMarked(messages, (index) => list.scrollToIndex(index, { align: "center" }));
  useEffect(() => list.scrollToEnd(), [list]);
  useOlder(room, list.getVirtualItems()[0]?.index ?? 0, hasOlder);
  const kinds = new Map(useMembers(room).data?.map(({ agent, kind }) => [agent, kind]));
  return (
    <div ref={place} className="messages" role="log" aria-label={TEXTS.chat.label} tabIndex={0}>
      <div className="messages-inside" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const message = messages[index];
          if (!message) return null;
          const before = messages[index - 1];
          const beginsDay = !before || dayOf(before.ts) !== dayOf(message.ts);
          return (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className="message-place"
              style={{ transform: `translateY(${start}px)` }}
            >
              {beginsDay && <p className="day">{dayOf(message.ts)}</p>}
              <MessageRow
                room={room}
                message={message}
                kind={kinds.get(message.author)}
                parent={message.reply_to === null ? undefined : messages.find(({ id }) => id === message.reply_to)}
                continues={!beginsDay && continues(before, message)}
                isMarked={message.id === marked}
                {...on}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function continues(before: Message | undefined, message: Message): boolean {
  if (!before || before.author !== message.author || message.reply_to !== null || before.retracted) return false;
  return Date.parse(message.ts) - Date.parse(before.ts) < TOGETHER;
}

/** Fetches older messages before somebody who goes back comes to the oldest. `first`: the index of the first one drawn. */
function useOlder(room: string, first: number, hasOlder: boolean) {
  const hub = useHub();
  const queries = useQueryClient();
  const isFetching = useRef(false);
  useEffect(() => {
    if (!hasOlder || first > AHEAD || isFetching.current) return;
    isFetching.current = true;
    readOlder(hub, queries, room)
      .catch(() => undefined) // the next step back tries again
      .finally(() => (isFetching.current = false));
  }, [hub, queries, room, first, hasOlder]);
}

/** The message that the address names, brought into sight once. */
function useMarked(messages: readonly Message[], show: (index: number) => void): number | undefined {
  const wanted = Number(new URLSearchParams(useSearch()).get("m")) || undefined;
  const shown = useRef<number>(undefined);
  useEffect(() => {
    if (wanted === undefined || shown.current === wanted) return;
    const index = messages.findIndex(({ id }) => id === wanted);
    if (index < 0) return;
    shown.current = wanted;
    show(index);
  });
  return wanted;
}
