import { QueryCache, QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { Redirect, Route, Switch } from "wouter";
import { connect, hasEnded, type Hub, HubProvider, signInAgain, useHub } from "./hub.ts";
import { keys } from "./keys.ts";
import { AskPage } from "./people/ask-page.tsx";
import { HomePage } from "./questions/home-page.tsx";
import { YouPage } from "./people/you-page.tsx";
import { RoomPage } from "./rooms/room-page.tsx";
import { useRooms } from "./rooms/use-rooms.ts";
import { SearchPage } from "./search/search-page.tsx";
import { Shell } from "./shell.tsx";
import { TEXTS } from "./texts.ts";
import { startLook } from "./ui/look.ts";
import { Page } from "./ui/page.tsx";
import { Empty, Loading, Problem } from "./ui/states.tsx";
import { WallEntry } from "./wall.tsx";

startLook();

const AdminPage = lazy(() =>
  import("./organizations/admin-page.tsx").then((module) => ({ default: module.AdminPage })),
);

/** Answers are kept up by the stream, so none grows old by itself; what failed for a moment is asked again. */
function openQueries(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => hasEnded(error) && location.pathname !== "/ui/wall" && signInAgain(),
    }),
    defaultOptions: {
      queries: { staleTime: 30_000, retry: (count, error) => count < 3 && !hasEnded(error) && !isRefusal(error) },
    },
  });
}

/** The hub understood and refused: asking again brings the same. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && "status" in error && Number(error.status) < 500 && Number(error.status) !== 429;

export function App() {
  const [queries] = useState(openQueries);
  const [token, setToken] = useState<string>();
  const isWall = location.pathname === "/ui/wall";
  return (
    <QueryClientProvider client={queries}>
      {isWall && token === undefined ? <WallEntry onToken={setToken} /> : <SignedIn token={token} isWall={isWall} />}
    </QueryClientProvider>
  );
}

function SignedIn({ token, isWall }: { readonly token: string | undefined; readonly isWall: boolean }) {
  const connected = useMemo(() => connect(token), [token]);
  const me = useQuery({ queryKey: keys.me, queryFn: () => connected.call("whoami", {}) });
  const hub = useMemo<Hub | undefined>(
    () => me.data && { ...connected, me: me.data, isWall },
    [connected, me.data, isWall],
  );
  if (hub) {
    return (
      <HubProvider value={hub}>
        <Shell>{isWall ? <Wall /> : <Pages />}</Shell>
      </HubProvider>
    );
  }
  return (
    <main className="alone">
      {me.error ? <Problem error={me.error} retry={() => void me.refetch()} /> : <Loading />}
    </main>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/ui">
        <HomePage />
      </Route>
      <Route path="/ui/ask">
        <AskPage />
      </Route>
      <Route path="/ui/you">
        <YouPage />
      </Route>
      <Route path="/ui/search">
        <SearchPage />
      </Route>
      <Route path="/ui/rooms/:room">{({ room }) => <Redirect to={`/ui/rooms/${room}/chat`} replace />}</Route>
      <Route path="/ui/rooms/:room/tasks/:task">
        {({ room, task }) => <RoomPage key={room} room={room} part="board" task={Number(task)} />}
      </Route>
      <Route path="/ui/rooms/:room/:part">{({ room, part }) => <RoomPage key={room} room={room} part={part} />}</Route>
      <Route path="/admin/:part?">
        {({ part }) => (
          <Suspense fallback={<Loading />}>
            <AdminPage part={part ?? "rooms"} />
          </Suspense>
        )}
      </Route>
      <Route>
        <Nowhere />
      </Route>
    </Switch>
  );
}

/** A display has one address, so that no reload asks for a page it could not show without the token. */
function Wall() {
  const { me } = useHub();
  const rooms = useRooms();
  const [chosen] = useState(() => me.default_room);
  const room = chosen ?? rooms.data?.[0]?.name;
  if (room === undefined) return rooms.data ? <Empty title={TEXTS.shell.noRooms} /> : <Loading />;
  return <RoomPage room={room} part="board" />;
}

function Nowhere() {
  return (
    <Page title={TEXTS.shell.nowhere}>
      <Empty title={TEXTS.shell.nowhereNext}>
        <a href="/ui">{TEXTS.shell.toHome}</a>
      </Empty>
    </Page>
  );
}
