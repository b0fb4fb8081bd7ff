import { TEXTS } from "../texts.ts";
import { useClock } from "./clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** How long ago something was, which moves on by itself. Over it stands the whole time, with what it is in UTC. */
export function Ago({ at }: { readonly at: string }) {
  const shown = useClock((now) => agoIn(Date.parse(at), now));
  return <Time at={at} shown={shown} />;
}

/** The time of the day. */
export function Clock({ at }: { readonly at: string }) {
  return <Time at={at} shown={clock.format(new Date(at))} />;
}

/** How long is left until something; `soon` from when on it stands out (ms). */
export function Left({ at, soon = 5 * MINUTE }: { readonly at: string; readonly soon?: number }) {
  const shown = useClock((now) => leftIn(Date.parse(at) - now));
  const isSoon = useClock((now) => Date.parse(at) - now < soon);
  return (
    <span className={isSoon ? "left soon" : "left"}>
      <Time at={at} shown={shown} />
    </span>
  );
}

function Time({ at, shown }: { readonly at: string; readonly shown: string }) {
  return (
    <time dateTime={at} title={`${whole.format(new Date(at))} (${at})`}>
      {shown}
    </time>
  );
}

function agoIn(at: number, now: number): string {
  const ago = now - at;
  if (ago < MINUTE) return TEXTS.time.now;
  if (ago < HOUR) return TEXTS.time.minutesAgo(Math.floor(ago / MINUTE));
  if (ago < DAY) return TEXTS.time.hoursAgo(Math.floor(ago / HOUR));
  if (ago < 7 * DAY) return TEXTS.time.daysAgo(Math.floor(ago / DAY));
  return day.format(at);
}

function leftIn(left: number): string {
  if (left <= 0) return TEXTS.time.over;
  if (left < MINUTE) return TEXTS.time.secondsLeft(Math.ceil(left / 1_000));
  if (left < 2 * HOUR) return TEXTS.time.minutesLeft(Math.ceil(left / MINUTE));
  if (left < 2 * DAY) return TEXTS.time.hoursLeft(Math.ceil(left / HOUR));
  return TEXTS.time.daysLeft(Math.ceil(left / DAY));
}

/** The day of a moment, as a heading between messages. */
export const dayOf = (at: string): string => weekday.format(new Date(at));
