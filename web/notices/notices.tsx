import { useQuery } from "@tanstack/react-query";
import { useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { textIn } from "../ui/form.ts";
import { Ago } from "../ui/moment.tsx";
import { Section } from "../ui/page.tsx";
import { Answer, Empty } from "../ui/states.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { pushIs, subscribeToPush } from "./push.ts";

const KEY = keys.admin("notices");

/** By what a person is told, when it is away, that something waits. */
export function Notices() {
  const { call } = useHub();
  const known = useQuery({ queryKey: KEY, queryFn: () => call("list_notices", {}) });
  const remove = useCommand((notice_id: string) => call("remove_notice", { notice_id }), { touches: [KEY] });
  const { notices } = TEXTS;
  return (
    <Section title={notices.title}>
      <p className="quiet section-lead">{notices.lead}</p>
      <Answer of={known}>
        {({ notices: all, push_key }) => (
          <>
            {all.length === 0 && <Empty title={notices.none} />}
            <ul className="rows">
              {all.map(({ id, channel, host, label, created_at, state, problem }) => (
                <li key={id}>
                  <span className="chip">{notices.channels[channel]}</span>
                  <div className="row-text">
                    <p className="row-head">
                      <strong>{label || host}</strong>
                      {state !== "working" && <span className="chip urgent">{notices.states[state]}</span>}
                      <span className="quiet">
                        <Ago at={created_at} />
                      </span>
                    </p>
                    {problem !== null && <p className="quiet">{problem}</p>}
                  </div>
                  <button type="button" className="small" disabled={remove.isPending} onClick={() => remove.mutate(id)}>
                    {notices.remove}
                  </button>
                </li>
              ))}
            </ul>
            <ThisDevice pushKey={push_key} />
          </>
        )}
      </Answer>
      <AddAddress />
    </Section>
  );
}

function ThisDevice({ pushKey }: { readonly pushKey: string }) {
  const { call } = useHub();
  const { notices } = TEXTS;
  const add = useCommand(
    async () =>
      call("add_notice", { channel: "web_push", address: await subscribeToPush(pushKey), label: notices.thisDevice }),
    { touches: [KEY], done: () => tell(notices.added) },
  );
  const state = pushIs();
  if (state !== "possible") return <p className="quiet section-lead">{notices.push[state]}</p>;
  return (
    <div className="actions left-side section-lead">
      <button type="button" disabled={add.isPending} onClick={() => add.mutate()}>
        {notices.addDevice}
      </button>
    </div>
  );
}

function AddAddress() {
  const { call } = useHub();
  const { notices } = TEXTS;
  const add = useCommand(
    (form: FormData) =>
      call("add_notice", {
        channel: textIn(form, "channel") === "slack" ? "slack" : "ntfy",
        address: textIn(form, "address").trim(),
        label: textIn(form, "label").trim(),
      }),
    { touches: [KEY], done: () => tell(notices.added) },
  );
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        add.mutate(new FormData(form), { onSuccess: () => form.reset() });
      }}
    >
      <AddressFields />
      <div className="actions left-side">
        <button type="submit" disabled={add.isPending}>
          {notices.add}
        </button>
      </div>
    </form>
  );
}

function AddressFields() {
  const { notices } = TEXTS;
  return (
    <>
      <div className="fields">
        <div>
          <label htmlFor="channel">{notices.channel}</label>
          <select id="channel" name="channel">
            <option value="ntfy">{notices.channels.ntfy}</option>
            <option value="slack">{notices.channels.slack}</option>
          </select>
        </div>
        <div>
          <label htmlFor="label">{notices.label}</label>
          <input id="label" name="label" maxLength={100} autoComplete="off" />
        </div>
      </div>
      <label htmlFor="address">{notices.address}</label>
      <input
        id="address"
        name="address"
        type="url"
        required
        placeholder="https://ntfy.sh/…"
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}
