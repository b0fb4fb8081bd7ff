import { type TextareaHTMLAttributes, useLayoutEffect, useRef } from "react";

interface AutoAreaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "onChange" | "value"> {
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A field that grows with what is in it. */
export function AutoArea({ value, onText, ...rest }: AutoAreaProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [value]);
  return <textarea ref={field} dir="auto" value={value} onChange={({ target }) => onText(target.value)} {...rest} />;
}
