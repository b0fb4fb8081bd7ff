import { Component, lazy, memo, type ReactNode, Suspense } from "react";
import { OutLink } from "./out-link.tsx";

/**
 * What turns the reading direction or hides without shaping anything: overrides and isolates of direction, tags, filler,
 * zero-width spaces. Joiners stay: writing and emoji need them.
 */
const HIDING =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu;

/** The text with such characters written out, so that what others see is what was sent. */
export function writtenOut(text: string): string {
  return text.replace(HIDING, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** What others wrote, as it is: no markup, no links. */
export function Plain({ text }: { readonly text: string }) {
  return (
    <div className="text" dir="auto">
      {writtenOut(text)}
    </div>
  );
}

const Markdown = lazy(() => import("./markdown.tsx").then((module) => ({ default: module.Markdown })));

/** Longer ones (characters) are shown as they are: taking them apart would take too long. */
const LONGEST_MARKDOWN = 16_384;

/** What others wrote, with the few marks of Markdown that cannot do anything; as it is until those are loaded, or if they fail. */
export const Rich = memo(function Rich({ text }: { readonly text: string }) {
  if (text.length > LONGEST_MARKDOWN || !MARKED.test(text)) return <Linked text={text} />;
  const plain = <Plain text={text} />;
  return (
    <Fallback key={text} shows={plain}>
      <Suspense fallback={plain}>
        <Markdown text={writtenOut(text)} />
      </Suspense>
    </Fallback>
  );
});

/** What may be a mark. Most messages have none, and need no parser. */
const MARKED = /[`*_~#>[\]|]|^\s*[-+\d]/m;
const ADDRESS = /(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/;

function Linked({ text }: { readonly text: string }) {
  return (
    <div className="text" dir="auto">
      {writtenOut(text)
        .split(ADDRESS)
        .map((part, at) => (at % 2 === 1 ? <OutLink key={at} href={part} shows={part} /> : part))}
    </div>
  );
}

/** Shows something else when what it holds cannot be drawn: a text nested a thousand times must not take the page along. */
class Fallback extends Component<{ readonly shows: ReactNode; readonly children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError() {
    return { failed: true };
  }
  override render() {
    return this.state.failed ? this.props.shows : this.props.children;
  }
}
