import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";

export function usePeople() {
  const { call } = useHub();
  return useQuery({ queryKey: keys.people, queryFn: () => call("list_users", { limit: 200 }) });
}

interface PersonChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (handle: string) => void;
  /** Who cannot be chosen, besides oneself. */
  readonly without?: string;
}

/** Chooses a coworker. */
export function PersonChoice({ label, value, onChoose, without }: PersonChoiceProps) {
  const { me } = useHub();
  const { data } = usePeople();
  const id = useId();
  const others = data?.users.filter(({ user_id }) => user_id !== me.user_id && user_id !== without) ?? [];
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} required onChange={({ target }) => onChoose(target.value)}>
        <option value="">{TEXTS.ask.choose}</option>
        {others.map(({ user_id, name }) => (
          <option key={user_id} value={user_id}>
            {name && name !== user_id ? `${name} (${user_id})` : user_id}
          </option>
        ))}
      </select>
    </>
  );
}
