import { useState } from "react";
import type { Reply } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { Icon } from "../ui/icons.tsx";
import { MemberMark } from "../ui/member-mark.tsx";
import { Ago } from "../ui/moment.tsx";
import { Plain, Rich } from "../ui/text.tsx";
import { FollowUpDialog } from "./question-dialogs.tsx";

/** What became of a question of mine: the answer, with how surely its person approved it, or why there is none. */
export function ReplyCard({ reply, isNew }: { readonly reply: Reply; readonly isNew: boolean }) {
  const { id, to_user_id, query_text, status, told_at, final_response, assurance, approved_by, reason } = reply;
  const [isAsking, setAsking] = useState(false);
  const { questions } = TEXTS;
  return (
    <article className="card reply" aria-label={`q${id}`}>
      <header className="question-top">
        <MemberMark handle={to_user_id} kind="person" />
        <div className="row-text">
          <p>
            <strong>
              <bdi>{to_user_id}</bdi>
            </strong>{" "}
            {whatBecame(status)}
            {isNew && <span className="chip new">{questions.fresh}</span>}
          </p>
          <p className="quiet">
            q{id} · <Ago at={told_at} />
          </p>
        </div>
      </header>
      <details className="asked-before">
        <summary>{questions.youAsked}</summary>
        <Plain text={query_text} />
      </details>
      {final_response !== null && <Rich text={final_response} />}
      {reason && <Plain text={reason} />}
      {assurance && (
        <p className="assurance">
          <Icon name={assurance === "signed" ? "lock" : "check"} />
          {questions.approvedBy(approved_by ?? "", `${assurance}: ${questions.levels[assurance]}`)}
        </p>
      )}
      {status === "answered" && (
        <div className="actions left-side">
          <button type="button" className="small" onClick={() => setAsking(true)}>
            {questions.followUp}
          </button>
        </div>
      )}
      {isAsking && <FollowUpDialog id={id} onClose={() => setAsking(false)} />}
    </article>
  );
}

function whatBecame(status: Reply["status"]): string {
  const { questions } = TEXTS;
  if (status === "answered") return questions.answered;
  if (status === "declined") return questions.declinedBy;
  if (status === "withdrawn") return questions.withdrawn;
  return status === "expired" ? questions.expired : questions.handedOn;
}
