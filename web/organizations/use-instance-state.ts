import { useQuery } from "@tanstack/react-query";
import { useHub } from "../hub.ts";
import { keys } from "../keys.ts";

export function useInstanceState() {
  const { call } = useHub();
  return useQuery({ queryKey: keys.admin("state"), queryFn: () => call("instance_state", {}) });
}
