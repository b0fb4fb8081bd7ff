import { type FormEvent, useState } from "react";
import { useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { AutoArea } from "../ui/auto-area.tsx";
import { MemberMark } from "../ui/member-mark.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Answer, Empty } from "../ui/states.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { linesOf } from "./lines.ts";
import { PersonChoice, usePeople } from "./person-choice.tsx";

/** Asks a coworker, after a look at who may know. */
export function AskPage() {
  const { ask } = TEXTS;
  return (
    <Page title={ask.title} lead={ask.lead}>
      <AskForm />
      <Section title={ask.people}>
        <People />
      </Section>
    </Page>
  );
}

function AskForm() {
  const { call } = useHub();
  const [question, setQuestion] = useState("");
  const [to, setTo] = useState("");
  const [options, setOptions] = useState("");
  const { ask } = TEXTS;
  const send = useCommand(
    () => {
      const lines = linesOf(options);
      return call("ask_person", { to_user_id: to, question, ...(lines.length > 0 && { options: lines }) });
    },
    {
      touches: [keys.replies],
      done() {
        tell(ask.sent(to));
        setQuestion("");
        setOptions("");
      },
    },
  );
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  return (
    <form className="card" onSubmit={onSubmit}>
      <label htmlFor="question">{ask.question}</label>
      <AutoArea id="question" rows={4} required maxLength={16_384} value={question} onText={setQuestion} />
      <Suggestions question={question} to={to} onChoose={setTo} />
      <PersonChoice label={ask.to} value={to} onChoose={setTo} />
      <label htmlFor="options">{ask.options}</label>
      <AutoArea id="options" rows={2} value={options} onText={setOptions} />
      <div className="actions left-side">
        <button type="submit" className="main" disabled={send.isPending}>
          {ask.send}
        </button>
      </div>
    </form>
  );
}

interface SuggestionsProps {
  readonly question: string;
  readonly to: string;
  readonly onChoose: (handle: string) => void;
}

/** Who may know, asked for by a press: it looks through everybody's answers. */
function Suggestions({ question, to, onChoose }: SuggestionsProps) {
  const { call } = useHub();
  const { ask } = TEXTS;
  const suggest = useCommand((query: string) => call("who_should_i_ask", { query }));
  const candidates = suggest.data?.candidates;
  return (
    <>
      <div className="actions left-side">
        <button
          type="button"
          className="small"
          disabled={question.trim() === "" || suggest.isPending}
          onClick={() => suggest.mutate(question.slice(0, 1_000))}
        >
          {ask.suggest}
        </button>
      </div>
      {candidates?.length === 0 && <p className="quiet">{ask.nobody}</p>}
      {candidates && candidates.length > 0 && (
        <div className="options" role="group" aria-label={ask.suggested}>
          {candidates.map(({ user_id, name, reason }) => (
            <button
              key={user_id}
              type="button"
              className="candidate"
              aria-pressed={to === user_id}
              onClick={() => onChoose(user_id)}
            >
              <strong>{name || user_id}</strong>
              <span className="quiet">{reason}</span>
            </button>
          ))}
        </div>
      )}
    </>
  );
}

function People() {
  const people = usePeople();
  const { me } = useHub();
  return (
    <Answer of={people}>
      {({ users }) => {
        const others = users.filter(({ user_id }) => user_id !== me.user_id);
        if (others.length === 0) return <Empty title={TEXTS.ask.alone} />;
        return (
          <ul className="rows">
            {others.map(({ user_id, name, ownership, notes }) => (
              <li key={user_id}>
                <MemberMark handle={user_id} kind="person" />
                <div className="row-text">
                  <p className="row-head">
                    <strong>{name || user_id}</strong>
                    <span className="quiet">{user_id}</span>
                  </p>
                  {ownership.length > 0 && (
                    <p className="quiet">
                      {TEXTS.ask.owns} {ownership.join(", ")}
                    </p>
                  )}
                  {notes && <p className="quiet">{notes}</p>}
                </div>
              </li>
            ))}
          </ul>
        );
      }}
    </Answer>
  );
}
