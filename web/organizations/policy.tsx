import { type AnswerOf, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { Answer } from "../ui/states.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { useInstanceState } from "./use-instance-state.ts";

type Rules = AnswerOf<"set_policy">["policy"];

/** The organization's rules; each choice holds at once. */
export function Policy() {
  const { call } = useHub();
  const state = useInstanceState();
  const { admin, about } = TEXTS;
  const set = useCommand((rules: Partial<Rules>) => call("set_policy", rules), {
    touches: [keys.admin("state")],
    done: () => tell(about.saved),
  });
  return (
    <Answer of={state}>
      {({ policy }) => (
        <div className="card policy">
          <label htmlFor="minimum">{admin.minimum}</label>
          <select
            id="minimum"
            value={policy.minimum_assurance}
            disabled={set.isPending}
            onChange={({ target }) => set.mutate({ minimum_assurance: target.value as Rules["minimum_assurance"] })}
          >
            {Object.entries(admin.minimums).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
          <label htmlFor="inviters">{admin.invitationsBy}</label>
          <select
            id="inviters"
            value={policy.invitations_by}
            disabled={set.isPending}
            onChange={({ target }) => set.mutate({ invitations_by: target.value as Rules["invitations_by"] })}
          >
            {Object.entries(admin.inviters).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
      )}
    </Answer>
  );
}
