import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type AnswerOf, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { useRooms } from "../rooms/use-rooms.ts";
import { TEXTS } from "../texts.ts";
import { Copyable } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Ago } from "../ui/moment.tsx";
import { readPages } from "../ui/read-pages.ts";
import { Answer } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";

type Member = AnswerOf<"list_members">["members"][number];
type Opened = { readonly what: "end" | "rooms" | "reset"; readonly member: Member } | undefined;

/** Everybody of the organization: who may enter what, and how somebody leaves. */
export function MemberAdmin() {
  const { call } = useHub();
  const [opened, setOpened] = useState<Opened>();
  const members = useQuery({
    queryKey: keys.admin("members"),
    queryFn: () =>
      readPages<Member, string>(async (after = "") => {
        const { members: items, next } = await call("list_members", { after, limit: 200 });
        return { items, next };
      }),
  });
  const { admin } = TEXTS;
  const onClose = () => setOpened(undefined);
  return (
    <>
      <Answer of={members}>
        {(all) => (
          <Table
            name={admin.members}
            heads={[admin.handle, admin.name, admin.kind, admin.role, admin.enter, admin.password, admin.seen, ""]}
            rows={all.map((member) => ({
              key: member.user_id,
              isQuiet: member.deactivated_at !== null,
              cells: cellsOf(member, (what) => setOpened({ what, member })),
            }))}
          />
        )}
      </Answer>
      {opened?.what === "end" && <EndMember member={opened.member} onClose={onClose} />}
      {opened?.what === "rooms" && <MemberRooms member={opened.member} onClose={onClose} />}
      {opened?.what === "reset" && <ResetPassword member={opened.member} onClose={onClose} />}
    </>
  );
}

function cellsOf(member: Member, open: (what: "end" | "rooms" | "reset") => void) {
  const { user_id, kind, name, owner, role, rooms, password, deactivated_at, last_seen } = member;
  const { admin, members } = TEXTS;
  const isPerson = kind === "person";
  return [
    <strong key="handle">{user_id}</strong>,
    name,
    owner === null ? admin.kinds[kind] : members.of(owner),
    role === null ? "" : admin.roles[role],
    rooms.join(", "),
    password ?? "",
    deactivated_at !== null ? admin.gone : last_seen === null ? admin.never : <Ago key="seen" at={last_seen} />,
    deactivated_at === null && (
      <span key="acts" className="actions">
        {isPerson && (
          <button type="button" className="small" onClick={() => open("rooms")}>
            {admin.rooms}
          </button>
        )}
        {isPerson && (
          <button type="button" className="small" onClick={() => open("reset")}>
            {admin.reset}
          </button>
        )}
        <button type="button" className="small danger" onClick={() => open("end")}>
          {admin.deactivate}
        </button>
      </span>
    ),
  ];
}

interface MemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

function EndMember({ member: { user_id }, onClose }: MemberDialogProps) {
  const { call } = useHub();
  const { admin } = TEXTS;
  const end = useCommand(() => call("deactivate_member", { user_id }), {
    touches: [keys.admin("members"), keys.people],
    done() {
      tell(admin.deactivated(user_id));
      onClose();
    },
  });
  return (
    <FormDialog
      title={`${admin.deactivate}: ${user_id}`}
      submit={admin.deactivate}
      isDangerous
      isBusy={end.isPending}
      onSubmit={() => end.mutate()}
      onClose={onClose}
    >
      <p>{admin.deactivateSure(user_id)}</p>
    </FormDialog>
  );
}

/** Each tick lets in or out at once. */
function MemberRooms({ member: { user_id, rooms }, onClose }: MemberDialogProps) {
  const { call } = useHub();
  const all = useRooms();
  const [inside, setInside] = useState<ReadonlySet<string>>(new Set(rooms));
  const change = useCommand(
    async ({ room, enters }: { room: string; enters: boolean }) => {
      await call(enters ? "grant_room" : "revoke_room", { user_id, room });
    },
    {
      touches: [keys.admin("members")],
      done: (_, { room, enters }) =>
        setInside((now) => new Set(enters ? [...now, room] : [...now].filter((one) => one !== room))),
    },
  );
  return (
    <Dialog title={`${TEXTS.admin.enter}: ${user_id}`} onClose={onClose}>
      {all.data?.map(({ name }) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={inside.has(name)}
            disabled={change.isPending}
            onChange={({ target }) => change.mutate({ room: name, enters: target.checked })}
          />
          {name}
        </label>
      ))}
    </Dialog>
  );
}

function ResetPassword({ member: { user_id }, onClose }: MemberDialogProps) {
  const { call } = useHub();
  const { admin } = TEXTS;
  const reset = useCommand(() => call("reset_password", { user_id }), { touches: [keys.admin("members")] });
  const link = reset.data?.link;
  if (link) {
    return (
      <Dialog title={admin.reset} onClose={onClose}>
        <Copyable label={admin.resetLink} text={link} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={`${admin.reset}: ${user_id}`}
      submit={admin.reset}
      isBusy={reset.isPending}
      onSubmit={() => reset.mutate()}
      onClose={onClose}
    >
      <p>{admin.resetSure(user_id)}</p>
    </FormDialog>
  );
}
