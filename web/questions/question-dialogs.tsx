import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useHub, type Waiting } from "../hub.ts";
import { keys } from "../keys.ts";
import { PersonChoice } from "../people/person-choice.tsx";
import { TEXTS } from "../texts.ts";
import { textIn } from "../ui/form.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";

interface DialogProps {
  readonly onClose: () => void;
}

export function DeclineDialog({ id, onClose }: DialogProps & { readonly id: number }) {
  const { call } = useHub();
  const { questions } = TEXTS;
  const decline = useCommand(
    (reason: string) => call("decline_question", { message_id: id, ...(reason.trim() && { reason }) }),
    { touches: [keys.inbox], done: () => tell(questions.declined) },
  );
  return (
    <FormDialog
      title={questions.declineTitle}
      submit={questions.decline}
      isBusy={decline.isPending}
      onSubmit={(form) => decline.mutate(textIn(form, "reason"))}
      onClose={onClose}
    >
      <label htmlFor="reason">{questions.declineReason}</label>
      <textarea id="reason" name="reason" rows={3} maxLength={1_000} />
    </FormDialog>
  );
}

export function RedirectDialog({ question, onClose }: DialogProps & { readonly question: Waiting }) {
  const { id, from_user_id, query_text } = question;
  const { call } = useHub();
  const [to, setTo] = useState("");
  const { questions } = TEXTS;
  const suggestions = useQuery({
    queryKey: ["who", query_text],
    queryFn: () => call("who_should_i_ask", { query: query_text.slice(0, 500) }),
  });
  const redirect = useCommand((to_user_id: string) => call("redirect_question", { message_id: id, to_user_id }), {
    touches: [keys.inbox],
    done: (_, who) => tell(questions.redirected(who)),
  });
  const candidates = suggestions.data?.candidates.filter(({ user_id }) => user_id !== from_user_id) ?? [];
  return (
    <FormDialog
      title={questions.redirectTitle}
      submit={questions.redirect}
      isReady={to !== ""}
      isBusy={redirect.isPending}
      onSubmit={() => redirect.mutate(to)}
      onClose={onClose}
    >
      <PersonChoice label={questions.redirectTo} value={to} onChoose={setTo} without={from_user_id} />
      {candidates.length > 0 && (
        <div className="options" role="group" aria-label={TEXTS.ask.suggested}>
          {candidates.map(({ user_id, reason }) => (
            <button
              key={user_id}
              type="button"
              title={reason}
              aria-pressed={to === user_id}
              onClick={() => setTo(user_id)}
            >
              {user_id}
            </button>
          ))}
        </div>
      )}
    </FormDialog>
  );
}

export function FollowUpDialog({ id, onClose }: DialogProps & { readonly id: number }) {
  const { call } = useHub();
  const { questions } = TEXTS;
  const ask = useCommand((question: string) => call("follow_up", { message_id: id, question }), {
    touches: [keys.replies],
    done() {
      tell(questions.sent);
      onClose();
    },
  });
  return (
    <FormDialog
      title={questions.followUpTitle}
      submit={TEXTS.ask.send}
      isBusy={ask.isPending}
      onSubmit={(form) => ask.mutate(textIn(form, "question"))}
      onClose={onClose}
    >
      <label htmlFor="follow-up">{questions.followUpLabel}</label>
      <textarea id="follow-up" name="question" rows={4} required maxLength={16_384} />
    </FormDialog>
  );
}
