import { useInfiniteQuery } from "@tanstack/react-query";
import { useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { Ago } from "../ui/moment.tsx";
import { Answer } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { writtenOut } from "../ui/text.tsx";

/** Every act of administration and on credentials, the latest first. */
export function AuditLog() {
  const { call } = useHub();
  const events = useInfiniteQuery({
    queryKey: keys.admin("audit"),
    queryFn: ({ pageParam }) => call("get_audit_log", { limit: 100, before_id: pageParam }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const { admin } = TEXTS;
  return (
    <>
      <Answer of={events} lines={8}>
        {({ pages }) => (
          <Table
            name={admin.audit}
            heads={[admin.when, admin.who, admin.what, admin.detail, admin.where]}
            rows={pages
              .flatMap((page) => page.events)
              .map(({ id, at, actor, kind, detail, address }) => ({
                key: String(id),
                cells: [
                  <Ago key="at" at={at} />,
                  <strong key="who">{actor}</strong>,
                  kind.replaceAll("_", " "),
                  writtenOut(detail),
                  address,
                ],
              }))}
          />
        )}
      </Answer>
      {events.hasNextPage && (
        <button
          type="button"
          className="small"
          disabled={events.isFetchingNextPage}
          onClick={() => void events.fetchNextPage()}
        >
          {TEXTS.older}
        </button>
      )}
    </>
  );
}
