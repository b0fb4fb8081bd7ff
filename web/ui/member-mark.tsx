/** A member's sign: two letters of its handle on a ground that is always the same for it. Agents are square, people round. */
export function MemberMark({ handle, kind }: { readonly handle: string; readonly kind?: string | undefined }) {
  return (
    <span className={`member-mark tone-${toneOf(handle)} ${kind === "person" ? "round" : ""}`} aria-hidden="true">
      {handle.slice(0, 2)}
    </span>
  );
}

const TONES = 6;

function toneOf(handle: string): number {
  let sum = 0;
  for (const letter of handle) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973;
  return sum % TONES;
}
