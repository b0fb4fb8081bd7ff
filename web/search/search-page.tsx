import { useInfiniteQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { pathOfFile } from "../files/upload.ts";
import { type AnswerOf, useHub } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { Ago } from "../ui/moment.tsx";
import { Page } from "../ui/page.tsx";
import { Answer, Empty } from "../ui/states.tsx";
import { Plain, writtenOut } from "../ui/text.tsx";

type Hit = AnswerOf<"search">["hits"][number];

/** Finds what was written, in every room of the person and in the answers that it may see. */
export function SearchPage() {
  const wanted = new URLSearchParams(useSearch()).get("q") ?? "";
  const [, go] = useLocation();
  const [query, setQuery] = useState(wanted);
  const { search } = TEXTS;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    go(`/ui/search?${new URLSearchParams({ q: query.trim() }).toString()}`);
  };
  return (
    <Page title={search.title}>
      <form className="search-form" role="search" onSubmit={onSubmit}>
        <label htmlFor="q">{search.label}</label>
        <div className="search-line">
          <input
            id="q"
            type="search"
            value={query}
            maxLength={1_000}
            onChange={({ target }) => setQuery(target.value)}
          />
          <button type="submit" className="main">
            {search.find}
          </button>
        </div>
      </form>
      {wanted !== "" && <Hits key={wanted} query={wanted} />}
    </Page>
  );
}

function Hits({ query }: { readonly query: string }) {
  const { call } = useHub();
  const hits = useInfiniteQuery({
    queryKey: ["search", query],
    queryFn: ({ pageParam }) => call("search", { query, before: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next?.before,
  });
  const { search } = TEXTS;
  return (
    <div className="section">
      <Answer of={hits} lines={6}>
        {({ pages }) => {
          const all = pages.flatMap((page) => page.hits);
          if (all.length === 0) return <Empty title={search.nothing}>{search.nothingNext}</Empty>;
          return (
            <ul className="rows">
              {all.map((hit) => (
                <HitRow key={`${hit.kind}/${hit.room}/${hit.id}/${hit.note_id}`} hit={hit} />
              ))}
            </ul>
          );
        }}
      </Answer>
      {hits.hasNextPage && (
        <button
          type="button"
          className="small"
          disabled={hits.isFetchingNextPage}
          onClick={() => void hits.fetchNextPage()}
        >
          {TEXTS.older}
        </button>
      )}
    </div>
  );
}

function HitRow({ hit }: { readonly hit: Hit }) {
  const { kind, id, room, author, ts, title, text } = hit;
  const mark = { message: "m", task: "#", note: "#", file: "f", answer: "q" }[kind];
  return (
    <li>
      <span className="chip">{TEXTS.search.kinds[kind]}</span>
      <div className="row-text">
        <p className="row-head">
          <Place hit={hit}>{title === undefined ? `${mark}${id}` : writtenOut(title)}</Place>
          <span className="quiet">
            {room !== undefined && `${room} · `}
            {author}, <Ago at={ts} />
          </span>
        </p>
        {text !== "" && <Plain text={text} />}
      </div>
    </li>
  );
}

function Place({ hit: { kind, id, room = "" }, children }: { readonly hit: Hit; readonly children: string }) {
  if (kind === "message") return <Link href={`/ui/rooms/${room}/chat?m=${id}`}>{children}</Link>;
  if (kind === "task" || kind === "note") return <Link href={`/ui/rooms/${room}/tasks/${id}`}>{children}</Link>;
  if (kind === "file") return <a href={pathOfFile(room, id)}>{children}</a>;
  return <strong>{children}</strong>;
}
