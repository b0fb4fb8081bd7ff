import { type FormEvent, useState } from "react";
import { connect } from "./hub.ts";
import { TEXTS } from "./texts.ts";
import { textIn } from "./ui/form.ts";
import { Problem } from "./ui/states.tsx";

/** Where an observer's token is typed in. It is tried before anything is shown; one that may change things is not taken. */
export function WallEntry({ onToken }: { readonly onToken: (token: string) => void }) {
  const [error, setError] = useState<unknown>();
  const [isTrying, setTrying] = useState(false);
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = textIn(new FormData(event.currentTarget), "token").trim();
    setTrying(true);
    try {
      const { roles } = await connect(token).call("whoami", {});
      if (roles.includes("write")) throw new Error(TEXTS.wall.notReadOnly);
      onToken(token);
    } catch (problem) {
      setError(problem);
      setTrying(false);
    }
  };
  return (
    <main className="alone">
      <h1>{TEXTS.wall.title}</h1>
      <p className="lead">{TEXTS.wall.lead}</p>
      <form className="card" onSubmit={(event) => void onSubmit(event)}>
        <label htmlFor="token">{TEXTS.wall.token}</label>
        <p className="quiet" id="token-hint">
          {TEXTS.wall.hint}
        </p>
        <input id="token" name="token" type="password" autoComplete="off" required aria-describedby="token-hint" />
        {error !== undefined && <Problem error={error} />}
        <button type="submit" className="main" disabled={isTrying}>
          {TEXTS.wall.open}
        </button>
      </form>
    </main>
  );
}
