import { useState } from "react";
import { mayWrite, type Room, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { textIn } from "../ui/form.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Fact } from "../ui/fact.tsx";
import { Ago } from "../ui/moment.tsx";
import { Empty } from "../ui/states.tsx";
import { OutLink } from "../ui/out-link.tsx";
import { Rich } from "../ui/text.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";

/** What the room is for. */
export function About({ room }: { readonly room: Room }) {
  const hub = useHub();
  const [isEditing, setEditing] = useState(false);
  const { about } = TEXTS;
  const mayEdit = mayWrite(hub) && (room.info_by === "writers" || hub.me.roles.includes("admin"));
  const { description, repo_url, onboarding_notes, info_set_by, info_set_at, lease_minutes, retention_days } = room;
  const isBare = description === "" && repo_url === "" && onboarding_notes === "";
  return (
    <div className="about">
      {isBare && <Empty title={about.nothing} />}
      <dl className="facts wide card">
        {description !== "" && (
          <Fact name={about.description}>
            <Rich text={description} />
          </Fact>
        )}
        {repo_url !== "" && (
          <Fact name={about.repository}>
            <OutLink href={repo_url} shows={repo_url} />
          </Fact>
        )}
        {onboarding_notes !== "" && (
          <Fact name={about.notes}>
            <Rich text={onboarding_notes} />
          </Fact>
        )}
        <Fact name={about.lease}>{lease_minutes === null ? about.leaseUsual : about.leaseMinutes(lease_minutes)}</Fact>
        <Fact name={about.retention}>{retention_days ? about.days(retention_days) : about.forever}</Fact>
        {info_set_by !== null && info_set_at !== null && (
          <Fact name={about.setBy}>
            {info_set_by}, <Ago at={info_set_at} />
          </Fact>
        )}
        <Fact name={about.created}>
          <Ago at={room.created_ts} />
        </Fact>
      </dl>
      {isEditing && <EditAbout room={room} onClose={() => setEditing(false)} />}
      {mayEdit ? (
        <button type="button" onClick={() => setEditing(true)}>
          {about.edit}
        </button>
      ) : (
        room.info_by === "admins" && <p className="quiet">{about.onlyAdmins}</p>
      )}
    </div>
  );
}

function EditAbout({ room, onClose }: { readonly room: Room; readonly onClose: () => void }) {
  const { call } = useHub();
  const { about } = TEXTS;
  const save = useCommand(
    (form: FormData) =>
      call("set_room_info", {
        room: room.name,
        description: textIn(form, "description"),
        repo_url: textIn(form, "repo_url"),
        onboarding_notes: textIn(form, "onboarding_notes"),
      }),
    {
      touches: [keys.rooms],
      done() {
        tell(about.saved);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`${about.edit} ${room.name}`}
      submit={TEXTS.save}
      isBusy={save.isPending}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <label htmlFor="description">{about.description}</label>
      <textarea id="description" name="description" rows={3} maxLength={2_000} defaultValue={room.description} />
      <label htmlFor="repo_url">{about.repository}</label>
      <input id="repo_url" name="repo_url" type="text" maxLength={500} defaultValue={room.repo_url} />
      <label htmlFor="notes">{about.notes}</label>
      <textarea id="notes" name="onboarding_notes" rows={6} maxLength={4_000} defaultValue={room.onboarding_notes} />
    </FormDialog>
  );
}
