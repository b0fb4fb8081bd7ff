import ReactMarkdown, { type Components } from "react-markdown";
import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";
import { OutLink } from "./out-link.tsx";

/** All that a text of others may become. No pictures, no headings that pass for ours, no HTML. */
const ELEMENTS = ["p", "br", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a", "hr"];
const TABLE = ["table", "thead", "tbody", "tr", "th", "td"];

const COMPONENTS: Components = {
  a: ({ href = "", children }) => (
    <OutLink href={href} shows={textIn(children)}>
      {children}
    </OutLink>
  ),
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
};

/** Loaded when the first text with marks comes. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="rich" dir="auto">
      <ReactMarkdown
        remarkPlugins={[remarkGfm, remarkBreaks]}
        allowedElements={[...ELEMENTS, ...TABLE]}
        unwrapDisallowed
        skipHtml={false}
        components={COMPONENTS}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

function textIn(children: unknown): string {
  if (typeof children === "string") return children;
  return Array.isArray(children) ? children.map(textIn).join("") : "";
}
