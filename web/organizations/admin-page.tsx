import { Empty } from "../ui/states.tsx";
import { TEXTS } from "../texts.ts";
export function AdminPage({ part }: { readonly part: string }) {
  return <Empty title={TEXTS.admin.title}>{part}</Empty>;
}
