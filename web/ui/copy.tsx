import { useRef, useState } from "react";
import { TEXTS } from "../texts.ts";
import { Icon } from "./icons.tsx";

/** A text to take along, with its button. */
export function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const shown = useRef<HTMLElement>(null);
  const [said, setSaid] = useState("");
  const onCopy = async () => {
    const copied = await copyText(text);
    if (!copied && shown.current) getSelection()?.selectAllChildren(shown.current);
    setSaid(copied ? TEXTS.copy.done : TEXTS.copy.selected);
  };
  return (
    <div className="copyable">
      <div className="copyable-top">
        <span className="label">{label}</span>
        <span className="quiet" role="status">
          {said}
        </span>
        <button type="button" className="small" onClick={() => void onCopy()}>
          <Icon name="copy" /> {TEXTS.copy.button}
        </button>
      </div>
      <pre tabIndex={0}>
        <code ref={shown}>{text}</code>
      </pre>
    </div>
  );
}

/** On plain http browsers keep the clipboard from pages; the old command still works there. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "out-of-sight";
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}
