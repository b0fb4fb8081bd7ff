import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type AnswerOf, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { Copyable } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { textIn } from "../ui/form.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Left } from "../ui/moment.tsx";
import { readPages } from "../ui/read-pages.ts";
import { Answer, Empty } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { useCommand } from "../use-command.ts";

type Invitation = AnswerOf<"list_invitations">["invitations"][number];

/** Links by which people join, and those that are still open. */
export function Invitations() {
  const { call } = useHub();
  const [isInviting, setInviting] = useState(false);
  const invitations = useQuery({
    queryKey: keys.admin("invitations"),
    queryFn: () =>
      readPages<Invitation, string>(async (before_id) => {
        const { invitations: items, next } = await call("list_invitations", { before_id, limit: 200 });
        return { items, next };
      }),
  });
  const { admin } = TEXTS;
  return (
    <>
      <div className="board-top">
        <button type="button" className="main" onClick={() => setInviting(true)}>
          {admin.invite}
        </button>
      </div>
      <Answer of={invitations}>
        {(all) => (all.length === 0 ? <Empty title={admin.noInvitations} /> : <OpenLinks invitations={all} />)}
      </Answer>
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </>
  );
}

function OpenLinks({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const { call } = useHub();
  const withdraw = useCommand((invitation_id: string) => call("revoke_invitation", { invitation_id }), {
    touches: [keys.admin("invitations")],
  });
  const { admin } = TEXTS;
  return (
    <Table
      name={admin.invitations}
      heads={[admin.handle, admin.name, admin.role, admin.by, admin.until, ""]}
      rows={invitations.map(({ invitation_id, user_id, name, role, invited_by, expires_at }) => ({
        key: invitation_id,
        cells: [
          user_id ?? "",
          name,
          admin.roles[role],
          invited_by,
          <Left key="until" at={expires_at} />,
          <button
            key="act"
            type="button"
            className="small"
            disabled={withdraw.isPending}
            onClick={() => withdraw.mutate(invitation_id)}
          >
            {admin.withdraw}
          </button>,
        ],
      }))}
    />
  );
}

function Invite({ onClose }: { readonly onClose: () => void }) {
  const { call } = useHub();
  const { admin } = TEXTS;
  const invite = useCommand(
    (form: FormData) => {
      const [user_id, name, question] = ["user_id", "name", "question"].map((field) => textIn(form, field).trim());
      return call("invite_person", {
        role: textIn(form, "role") === "admin" ? "admin" : "member",
        ...(user_id && { user_id }),
        ...(name && { name }),
        ...(question && { question }),
      });
    },
    { touches: [keys.admin("invitations")] },
  );
  const link = invite.data?.link;
  if (link) {
    return (
      <Dialog title={admin.invited} onClose={onClose}>
        <Copyable label={admin.inviteLink} text={link} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={admin.invite}
      submit={admin.invite}
      isBusy={invite.isPending}
      onSubmit={(form) => invite.mutate(form)}
      onClose={onClose}
    >
      <label htmlFor="user_id">{admin.inviteHandle}</label>
      <input id="user_id" name="user_id" maxLength={64} autoCapitalize="none" spellCheck={false} autoComplete="off" />
      <label htmlFor="name">{admin.inviteName}</label>
      <input id="name" name="name" maxLength={100} autoComplete="off" />
      <label htmlFor="role">{admin.role}</label>
      <select id="role" name="role">
        {Object.entries(admin.roles).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <label htmlFor="question">{admin.inviteQuestion}</label>
      <textarea id="question" name="question" rows={3} maxLength={16_384} />
    </FormDialog>
  );
}
