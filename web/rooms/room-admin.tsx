import { useState } from "react";
import { Link } from "wouter";
import { type Room, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { textIn } from "../ui/form.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Answer } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { useRooms } from "./use-rooms.ts";

type Opened = { readonly what: "new" } | { readonly what: "rules" | "delete"; readonly room: Room } | undefined;

/** Makes rooms, sets their rules, removes them. */
export function RoomAdmin() {
  const rooms = useRooms();
  const [opened, setOpened] = useState<Opened>();
  const { admin } = TEXTS;
  const onClose = () => setOpened(undefined);
  return (
    <>
      <div className="board-top">
        <button type="button" className="main" onClick={() => setOpened({ what: "new" })}>
          {admin.newRoom}
        </button>
      </div>
      <Answer of={rooms}>{(all) => <RoomTable rooms={all} onOpen={setOpened} />}</Answer>
      {opened?.what === "new" && <NewRoom onClose={onClose} />}
      {opened?.what === "rules" && <Rules room={opened.room} onClose={onClose} />}
      {opened?.what === "delete" && <DeleteRoom room={opened.room} onClose={onClose} />}
    </>
  );
}

function RoomTable({ rooms, onOpen }: { readonly rooms: readonly Room[]; readonly onOpen: (opened: Opened) => void }) {
  const { admin } = TEXTS;
  return (
    <Table
      name={admin.rooms}
      heads={[admin.name, admin.openTasks, admin.messages, admin.lease, admin.keep, admin.infoBy, ""]}
      rows={rooms.map((room) => ({
        key: room.name,
        cells: [
          ...factsOf(room),
          <span key="acts" className="actions">
            <button type="button" className="small" onClick={() => onOpen({ what: "rules", room })}>
              {admin.rules}
            </button>
            <button type="button" className="small danger" onClick={() => onOpen({ what: "delete", room })}>
              {admin.delete}
            </button>
          </span>,
        ],
      }))}
    />
  );
}

function factsOf({ name, open_tasks, messages, lease_minutes, retention_days, info_by }: Room) {
  const { admin, about } = TEXTS;
  return [
    <Link key="name" href={`/ui/rooms/${name}/about`}>
      {name}
    </Link>,
    open_tasks,
    messages,
    lease_minutes === null ? about.leaseUsual : about.leaseMinutes(lease_minutes),
    retention_days ? about.days(retention_days) : about.forever,
    admin.infoByWho[info_by],
  ];
}

interface RoomDialogProps {
  readonly room: Room;
  readonly onClose: () => void;
}

function NewRoom({ onClose }: Pick<RoomDialogProps, "onClose">) {
  const { call } = useHub();
  const { admin, about } = TEXTS;
  const create = useCommand(
    (form: FormData) =>
      call("create_room", {
        name: textIn(form, "name").trim(),
        description: textIn(form, "description"),
        onboarding_notes: textIn(form, "onboarding_notes"),
      }),
    { touches: [keys.rooms, keys.me], done: onClose },
  );
  return (
    <FormDialog
      title={admin.newRoom}
      submit={admin.create}
      isBusy={create.isPending}
      onSubmit={(form) => create.mutate(form)}
      onClose={onClose}
    >
      <label htmlFor="name">{admin.name}</label>
      <input id="name" name="name" required maxLength={64} autoCapitalize="none" spellCheck={false} />
      <label htmlFor="description">{about.description}</label>
      <textarea id="description" name="description" rows={2} maxLength={2_000} />
      <label htmlFor="notes">{about.notes}</label>
      <textarea id="notes" name="onboarding_notes" rows={4} maxLength={4_000} />
    </FormDialog>
  );
}

function Rules({ room, onClose }: RoomDialogProps) {
  const { call } = useHub();
  const { admin } = TEXTS;
  const set = useCommand(
    async (form: FormData) => {
      const [minutes, days] = [textIn(form, "lease_minutes"), Number(textIn(form, "days"))];
      await call("set_room_policy", {
        room: room.name,
        info_by: textIn(form, "info_by") === "admins" ? "admins" : "writers",
        ...(minutes !== "" && { lease_minutes: Number(minutes) }),
      });
      if (days !== (room.retention_days ?? 0)) await call("set_retention", { room: room.name, days });
    },
    { touches: [keys.rooms], done: onClose },
  );
  return (
    <FormDialog
      title={`${admin.rules}: ${room.name}`}
      submit={TEXTS.save}
      isBusy={set.isPending}
      onSubmit={(form) => set.mutate(form)}
      onClose={onClose}
    >
      <label htmlFor="lease">{admin.leaseMinutes}</label>
      <input
        id="lease"
        name="lease_minutes"
        type="number"
        min={0}
        max={10_080}
        defaultValue={room.lease_minutes ?? ""}
      />
      <label htmlFor="days">{admin.retention}</label>
      <input id="days" name="days" type="number" min={0} max={36_500} defaultValue={room.retention_days ?? 0} />
      <label htmlFor="info_by">{admin.infoBy}</label>
      <select id="info_by" name="info_by" defaultValue={room.info_by}>
        {Object.entries(admin.infoByWho).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </FormDialog>
  );
}

function DeleteRoom({ room, onClose }: RoomDialogProps) {
  const { call } = useHub();
  const { admin } = TEXTS;
  const [typed, setTyped] = useState("");
  const remove = useCommand(() => call("delete_room", { room: room.name }), {
    touches: [keys.rooms, keys.me],
    done() {
      tell(admin.deleted(room.name));
      onClose();
    },
  });
  return (
    <FormDialog
      title={admin.deleteRoom(room.name)}
      submit={admin.delete}
      isDangerous
      isReady={typed === room.name}
      isBusy={remove.isPending}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <label htmlFor="typed">{admin.deleteSure}</label>
      <input
        id="typed"
        value={typed}
        autoComplete="off"
        autoCapitalize="none"
        onChange={({ target }) => setTyped(target.value)}
      />
    </FormDialog>
  );
}
