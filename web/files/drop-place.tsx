import { type DragEvent, type ReactNode, useState } from "react";
import { TEXTS } from "../texts.ts";

interface DropPlaceProps {
  /** Nothing can be dropped without it. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
  readonly className: string;
  readonly children: ReactNode;
}

/** Takes files that are dropped anywhere on it. */
export function DropPlace({ onFiles, className, children }: DropPlaceProps) {
  const [isOver, setOver] = useState(false);
  if (!onFiles) return <div className={className}>{children}</div>;
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const onDrop = (event: DragEvent) => {
    setOver(false);
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    onFiles([...event.dataTransfer.files]);
  };
  return (
    <div
      className={`${className} drop-place`}
      onDragOver={onDragOver}
      onDragLeave={({ currentTarget, relatedTarget }) =>
        !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) && setOver(false)
      }
      onDrop={onDrop}
    >
      {children}
      {isOver && <p className="drop-here">{TEXTS.files.drop}</p>}
    </div>
  );
}

/** The other way to choose files: a button, for who drags nothing. */
export function FileButton({
  onFiles,
  children,
  className = "",
}: {
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
  readonly className?: string;
}) {
  return (
    <label className={`button file-button ${className}`}>
      {children}
      <input
        type="file"
        multiple
        className="out-of-sight"
        aria-label={TEXTS.files.choose}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </label>
  );
}
