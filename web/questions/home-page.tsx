import { useEffect, useState } from "react";
import { Link } from "wouter";
import { TaskRow } from "../board/task-row.tsx";
import { type Reply, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { MemberMark } from "../ui/member-mark.tsx";
import { Ago, Left } from "../ui/moment.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Answer, Empty } from "../ui/states.tsx";
import { Rich } from "../ui/text.tsx";
import { useCommand } from "../use-command.ts";
import { askForNotices, noticesAre } from "./notices.ts";
import { QuestionCard } from "./question-card.tsx";
import { ReplyCard } from "./reply-card.tsx";
import { isFresh, markNewsSeen, type SeenNews, useSeenNews } from "./seen-news.ts";
import { type Mention, useInbox, useMentions, useMyTasks, useReplies, useWaiting } from "./use-home.ts";

/** How long (ms) something must have been on the page to count as looked at. */
const LOOKED = 4_000;

/** What waits for the person, the most urgent first. */
export function HomePage() {
  const inbox = useInbox();
  const replies = useReplies();
  const waits = useWaiting();
  const mentions = useMentions();
  const seen = useSeenNews();
  // What was new when the page was opened stays marked until it is left.
  const [before] = useState(seen);
  useLookedAt(replies.data?.replies[0]?.told_at, mentions[0]?.ts);
  const { home } = TEXTS;
  return (
    <Page title={home.title} lead={home.lead(waits)} actions={<Notices />}>
      <Section title={home.questions} count={inbox.data?.length ?? 0}>
        <Answer of={inbox} lines={4}>
          {(pending) =>
            pending.length === 0 ? (
              <Empty title={home.noQuestions}>{home.noQuestionsNext}</Empty>
            ) : (
              pending.map((question) => <QuestionCard key={question.id} question={question} />)
            )
          }
        </Answer>
      </Section>
      <MyTasks />
      <Section title={home.replies}>
        <Answer of={replies}>{(data) => <Replies {...data} before={before} />}</Answer>
      </Section>
      <Section title={home.mentions}>
        {mentions.length === 0 && <Empty title={home.noMentions} />}
        <ul className="rows">
          {mentions.slice(0, 10).map((mention) => (
            <MentionRow
              key={`${mention.room}/${mention.id}`}
              mention={mention}
              isNew={isFresh(before, "mentions", mention.ts)}
            />
          ))}
        </ul>
      </Section>
    </Page>
  );
}

function useLookedAt(reply: string | undefined, mention: string | undefined) {
  useEffect(() => {
    const timer = setTimeout(() => {
      if (document.visibilityState === "hidden") return;
      markNewsSeen("replies", reply);
      markNewsSeen("mentions", mention);
    }, LOOKED);
    return () => clearTimeout(timer);
  }, [reply, mention]);
}

function Notices() {
  const [state, setState] = useState(noticesAre);
  if (state === "impossible") return null;
  if (state === "on") return <span className="quiet">{TEXTS.home.notifying}</span>;
  return (
    <button type="button" className="small" onClick={() => void askForNotices().then(() => setState(noticesAre()))}>
      {TEXTS.home.notify}
    </button>
  );
}

function MyTasks() {
  const { held, reviews } = useMyTasks();
  const { home } = TEXTS;
  return (
    <>
      {reviews.length > 0 && (
        <Section title={home.reviews} count={reviews.length}>
          <ul className="rows">
            {reviews.map((task) => (
              <TaskRow key={`${task.room}/${task.id}`} task={task} />
            ))}
          </ul>
        </Section>
      )}
      <Section title={home.tasks}>
        {held.length === 0 && <Empty title={home.noTasks} />}
        <ul className="rows">
          {held.map((task) => (
            <TaskRow key={`${task.room}/${task.id}`} task={task} />
          ))}
        </ul>
      </Section>
    </>
  );
}

interface RepliesProps {
  readonly replies: readonly Reply[];
  readonly waiting: readonly { readonly id: number; readonly to_user_id: string; readonly expires_at: string }[];
  readonly before: SeenNews;
}

const SHOWN = 5;

function Replies({ replies, waiting, before }: RepliesProps) {
  const { call } = useHub();
  const [isWhole, setWhole] = useState(false);
  const { home, questions } = TEXTS;
  const withdraw = useCommand((message_id: number) => call("withdraw_question", { message_id }), {
    touches: [keys.replies],
  });
  return (
    <>
      {replies.length + waiting.length === 0 && <Empty title={home.noReplies} />}
      {replies.slice(0, isWhole ? undefined : SHOWN).map((reply) => (
        <ReplyCard
          key={`${reply.id}/${reply.told_at}`}
          reply={reply}
          isNew={isFresh(before, "replies", reply.told_at)}
        />
      ))}
      {!isWhole && replies.length > SHOWN && (
        <button type="button" className="small" onClick={() => setWhole(true)}>
          {questions.more}
        </button>
      )}
      {waiting.length > 0 && (
        <ul className="rows">
          {waiting.map(({ id, to_user_id, expires_at }) => (
            <li key={id}>
              <MemberMark handle={to_user_id} kind="person" />
              <span className="row-text">
                <span>
                  q{id} · {home.waiting} · <bdi>{to_user_id}</bdi>
                </span>
              </span>
              <Left at={expires_at} soon={86_400_000} />
              <button type="button" className="small" disabled={withdraw.isPending} onClick={() => withdraw.mutate(id)}>
                {questions.withdraw}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function MentionRow({ mention, isNew }: { readonly mention: Mention; readonly isNew: boolean }) {
  const { me } = useHub();
  const { room, id, author, ts, body } = mention;
  return (
    <li>
      <MemberMark handle={author} />
      <div className="row-text">
        <p className="row-head">
          <strong>{author === me.user_id ? TEXTS.members.you : author}</strong>
          <Link href={`/ui/rooms/${room}/chat?m=${id}`} className="quiet">
            {room} m{id}
          </Link>
          <span className="quiet">
            <Ago at={ts} />
          </span>
          {isNew && <span className="chip new">{TEXTS.questions.fresh}</span>}
        </p>
        <Rich text={body} />
      </div>
    </li>
  );
}
