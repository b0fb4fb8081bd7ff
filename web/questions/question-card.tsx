import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useHub, type Waiting } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { MemberMark } from "../ui/member-mark.tsx";
import { Ago, Left } from "../ui/moment.tsx";
import { Plain } from "../ui/text.tsx";
import { tell, tellProblem } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { AutoArea } from "../ui/auto-area.tsx";
import { DeclineDialog, RedirectDialog } from "./question-dialogs.tsx";

/** A question with its draft: to be changed, and looked at once more on the page where it is approved. */
export function QuestionCard({ question }: { readonly question: Waiting }) {
  const { id, from_user_id, asked_by, query_text, created_at, expires_at, from_profile, rejected, approve_url } =
    question;
  const [dialog, setDialog] = useState<"decline" | "redirect">();
  const [isChanging, setChanging] = useState(false);
  const { questions } = TEXTS;
  const besides = (
    <span className="besides">
      <button type="button" className="small" onClick={() => setDialog("redirect")}>
        {questions.redirect}
      </button>
      <button type="button" className="small" onClick={() => setDialog("decline")}>
        {questions.decline}
      </button>
    </span>
  );
  return (
    <article className="card question" aria-label={`q${id}`}>
      <header className="question-top">
        <MemberMark handle={from_user_id} kind={from_profile ? "person" : "agent"} />
        <div className="row-text">
          <p>
            <strong>
              <bdi>{from_profile?.name || from_user_id}</bdi>
            </strong>{" "}
            {questions.asked}
            {asked_by !== from_user_id && (
              <>
                {" "}
                {questions.through} <bdi>{asked_by}</bdi>
              </>
            )}
          </p>
          <p className="quiet">
            q{id} · <Ago at={created_at} /> · <Left at={expires_at} soon={86_400_000} />
          </p>
        </div>
      </header>
      <Plain text={query_text} />
      {rejected !== undefined && <p className="note warn">{questions.rejected(rejected)}</p>}
      {approve_url !== undefined && !isChanging ? (
        <WaitsForApproval question={question} onChange={() => setChanging(true)} besides={besides} />
      ) : (
        <AnswerForm question={question} besides={besides} />
      )}
      {dialog === "decline" && <DeclineDialog id={id} onClose={() => setDialog(undefined)} />}
      {dialog === "redirect" && <RedirectDialog question={question} onClose={() => setDialog(undefined)} />}
    </article>
  );
}

interface AnswerProps {
  readonly question: Waiting;
  /** What else can be done with the question. */
  readonly besides: ReactNode;
}

function WaitsForApproval({ question, onChange, besides }: AnswerProps & { readonly onChange: () => void }) {
  const { draft_response, approve_url = "" } = question;
  const { questions } = TEXTS;
  return (
    <>
      <div className="answer-box">
        <Plain text={draft_response ?? ""} />
      </div>
      <p className="quiet">{questions.waitsForApproval}</p>
      <div className="actions left-side">
        <a className="button main" href={pathOf(approve_url)}>
          {questions.approve}
        </a>
        <button type="button" onClick={onChange}>
          {questions.change}
        </button>
        {besides}
      </div>
    </>
  );
}

/** The page is this hub's, by whatever name the browser knows it. */
const pathOf = (url: string): string => new URL(url, location.origin).pathname;

/** What can be done with the answer as it stands in the field. */
function useAnswer({ id, draft_response }: Waiting, text: string) {
  const { call } = useHub();
  const touches = [keys.inbox];
  const save = useCommand(() => call("propose_response", { message_id: id, draft_text: text }), {
    touches,
    done: () => tell(TEXTS.questions.saved),
  });
  /** It is approved where the whole text is shown, and nowhere else. */
  const review = useCommand(
    async () => {
      if (draft_response === null) await call("propose_response", { message_id: id, draft_text: text });
      return call("send_response", { message_id: id, final_text: text });
    },
    { touches, done: ({ approval_id }) => approval_id !== undefined && location.assign(`/approve/${approval_id}`) },
  );
  return { save, review };
}

function AnswerForm({ question, besides }: AnswerProps) {
  const { id, options = [], draft_response, draft_by } = question;
  const [text, setText] = useDraft(draft_response ?? "");
  const { save, review } = useAnswer(question, text);
  const { questions } = TEXTS;
  const isBusy = save.isPending || review.isPending;
  const onReview = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") tellProblem(new Error(questions.empty));
    else review.mutate();
  };
  return (
    <form className="answer-form" onSubmit={onReview}>
      {options.length > 0 && (
        <div className="options" role="group" aria-label={questions.options}>
          {options.map((option) => (
            <button key={option} type="button" aria-pressed={text === option} onClick={() => setText(option)}>
              <bdi>{option}</bdi>
            </button>
          ))}
        </div>
      )}
      <label htmlFor={`answer-${id}`}>{questions.draft}</label>
      <p className="quiet" id={`answer-${id}-hint`}>
        {draft_by === undefined ? questions.noDraft : questions.draftBy(draft_by)}
      </p>
      <AutoArea
        id={`answer-${id}`}
        aria-describedby={`answer-${id}-hint`}
        value={text}
        onText={setText}
        maxLength={16_384}
        rows={2}
      />
      <div className="actions left-side">
        <button type="submit" className="main" disabled={isBusy}>
          {questions.review}
        </button>
        <button
          type="button"
          disabled={isBusy || text === (draft_response ?? "") || text.trim() === ""}
          onClick={() => save.mutate()}
        >
          {questions.save}
        </button>
        {besides}
      </div>
    </form>
  );
}

/** The draft to work on. One that its agent changes meanwhile comes in as long as nothing was typed. */
function useDraft(fromHub: string): [string, (text: string) => void] {
  const [text, setText] = useState(fromHub);
  const before = useRef(fromHub);
  useEffect(() => {
    const was = before.current;
    before.current = fromHub;
    setText((typed) => (typed === was ? fromHub : typed));
  }, [fromHub]);
  return [text, setText];
}
