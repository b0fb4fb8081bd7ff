import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { tellProblem } from "./ui/toasts.tsx";

/** Does something at the hub, and tells when that fails. `touches`: what is old afterwards. */
export function useCommand<Input, Result>(
  run: (input: Input) => Promise<Result>,
  {
    touches = [],
    done,
  }: { readonly touches?: readonly QueryKey[]; readonly done?: (result: Result, input: Input) => void } = {},
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onError: tellProblem,
    async onSuccess(result, input) {
      done?.(result, input);
      await Promise.all(touches.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
}
