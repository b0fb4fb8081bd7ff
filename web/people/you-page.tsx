import { useState } from "react";
import { useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { textIn } from "../ui/form.ts";
import { Page, Section } from "../ui/page.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { linesOf } from "./lines.ts";

const ELSEWHERE = [
  ["/notices", TEXTS.shell.notices],
  ["/connect", TEXTS.shell.connect],
  ["/sessions", TEXTS.shell.signIns],
  ["/passkeys", TEXTS.shell.passkeys],
  ["/password", TEXTS.shell.password],
] as const;

/** What coworkers see of a person, and where its account is seen to. */
export function YouPage() {
  const { me } = useHub();
  const { you } = TEXTS;
  return (
    <Page title={you.title} lead={`${me.user_id} in ${me.org_id}`}>
      <ProfileForm />
      <Section title={you.account}>
        <ul className="rows">
          {ELSEWHERE.map(([path, text]) => (
            <li key={path}>
              <a href={path}>{text}</a>
            </li>
          ))}
        </ul>
      </Section>
    </Page>
  );
}

function ProfileForm() {
  const { me, call } = useHub();
  const { you } = TEXTS;
  const [profile] = useState(me.profile);
  const save = useCommand(
    (form: FormData) =>
      call("set_my_profile", {
        name: textIn(form, "name").trim(),
        ownership: linesOf(textIn(form, "ownership")),
        notes: textIn(form, "notes"),
      }),
    { touches: [keys.me, keys.people], done: () => tell(you.saved) },
  );
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(new FormData(event.currentTarget));
      }}
    >
      <label htmlFor="name">{you.name}</label>
      <input id="name" name="name" required maxLength={100} autoComplete="name" defaultValue={profile?.name} />
      <label htmlFor="ownership">{you.ownership}</label>
      <textarea id="ownership" name="ownership" rows={3} defaultValue={profile?.ownership.join("\n")} />
      <label htmlFor="my-notes">{you.notes}</label>
      <textarea id="my-notes" name="notes" rows={3} maxLength={4_000} defaultValue={profile?.notes} />
      <div className="actions left-side">
        <button type="submit" className="main" disabled={save.isPending}>
          {TEXTS.save}
        </button>
      </div>
    </form>
  );
}
