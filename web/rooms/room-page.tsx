import { lazy, Suspense, useEffect } from "react";
import { HubRefusal } from "../../src/client/hub-client.ts";
import { Chat } from "../chat/chat.tsx";
import { Activity } from "../delivery/activity.tsx";
import { Members } from "../delivery/members.tsx";
import { Files } from "../files/files.tsx";
import { type Room, useHub } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { openKept } from "../ui/kept.ts";
import { Page } from "../ui/page.tsx";
import { Empty, Loading, Problem } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Rich } from "../ui/text.tsx";
import { setTitle } from "../ui/title.ts";
import { About } from "./about.tsx";
import { seenKey } from "./seen.ts";
import { useRooms } from "./use-rooms.ts";

const Board = lazy(() => import("../board/board.tsx").then((module) => ({ default: module.Board })));
const TaskPage = lazy(() => import("../board/task-page.tsx").then((module) => ({ default: module.TaskPage })));

interface RoomPageProps {
  readonly room: string;
  readonly part: string;
  readonly task?: number;
}

/** A room: its chat, its board, and what else there is to see. */
export function RoomPage({ room, part, task }: RoomPageProps) {
  const rooms = useRooms();
  const found = rooms.data?.find(({ name }) => name === room);
  useEffect(() => setTitle(room), [room]);
  if (!rooms.data) return rooms.error ? <Problem error={rooms.error} /> : <Loading lines={6} />;
  if (!found) {
    return (
      <Page title={TEXTS.room.missing}>
        <Empty title={TEXTS.room.missingNext} />
      </Page>
    );
  }
  return (
    <div className={`room ${part === "chat" ? "fills" : ""}`}>
      <header className="room-top">
        <div className="room-name">
          <h1>{room}</h1>
          {found.description !== "" && <p className="quiet room-lead">{found.description}</p>}
        </div>
        <Parts room={room} part={part} />
      </header>
      {part === "chat" && <Welcome room={found} />}
      <div className="room-part">
        <Suspense fallback={<Loading lines={6} />}>
          {task === undefined ? <Part room={found} part={part} /> : <TaskPage room={room} id={task} />}
        </Suspense>
      </div>
    </div>
  );
}

const PARTS = ["chat", "board", "files", "activity", "members", "about"] as const;

function Parts({ room, part }: Pick<RoomPageProps, "room" | "part">) {
  const { isWall } = useHub();
  if (isWall) return null;
  const tabs = PARTS.map((name) => ({
    to: `/ui/rooms/${room}/${name}`,
    text: TEXTS.room[name],
    isHere: name === part,
  }));
  return <Tabs name={TEXTS.room.parts} tabs={tabs} />;
}

function Part({ room, part }: { readonly room: Room; readonly part: string }) {
  const { isWall } = useHub();
  if (isWall) {
    return (
      <div className="wall-parts">
        <Board room={room.name} />
        <Chat room={room.name} />
      </div>
    );
  }
  if (part === "chat") return <Chat room={room.name} />;
  if (part === "board") return <Board room={room.name} />;
  if (part === "files") return <Files room={room.name} />;
  if (part === "activity") return <Activity room={room.name} />;
  if (part === "members") return <Members room={room.name} />;
  if (part === "about") return <About room={room} />;
  return (
    <Problem
      error={new HubRefusal(404, { code: "not_found", message: TEXTS.shell.nowhere, next: TEXTS.shell.nowhereNext })}
    />
  );
}

/** Which notes for newcomers were read here: by room, when they had been set. */
const readNotes = openKept<Readonly<Record<string, string>>>("crewroom-welcome", {});

/** What newcomers are told, until they say that they have read it; again when it was changed. */
function Welcome({ room }: { readonly room: Room }) {
  const hub = useHub();
  const read = readNotes.use();
  const { name, onboarding_notes, info_set_at, info_set_by } = room;
  const key = seenKey(hub, name);
  if (onboarding_notes === "" || hub.isWall || read[key] === info_set_at) return null;
  return (
    <aside className="welcome">
      <p className="quiet">{TEXTS.room.welcome(info_set_by ?? "")}</p>
      <Rich text={onboarding_notes} />
      <button type="button" className="small" onClick={() => readNotes.set({ ...read, [key]: info_set_at ?? "" })}>
        {TEXTS.room.understood}
      </button>
    </aside>
  );
}
