/** What came back from a call that may be refused. */
export type Reply =
  | { ok: true; value: Value; headers: Headers }
  | { ok: false; status: number; code: string; message: string; error: Value; headers: Headers };

// An answer's shape is the operation's business; a test compares it with what it expects.
// oxlint-disable-next-line no-explicit-any
export type Value = Record<string, any>;

export interface CallOptions {
  readonly session?: string;
  readonly key?: string;
}

/** A member of the cast, calling over HTTP as any client would. */
export interface Actor {
  readonly handle: string;
  readonly token: string;
  /** The answer; throws when the call is refused. */
  call(operation: string, input?: Value, options?: CallOptions): Promise<Value>;
  /** The answer or the refusal. */
  try(operation: string, input?: Value, options?: CallOptions): Promise<Reply>;
  /** Any request with this member's token. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The same member in a named session. */
  in(session: string): Actor;
}

export function makeActor(url: string, handle: string, token: string, session?: string): Actor {
  return actorWith(url, handle, token, {
    authorization: `Bearer ${token}`,
    ...(session && { "x-crewroom-session": session }),
  });
}

/** A person before a page of the hub: its browser's cookie, and what a browser says of where a request was made. */
export function makeBrowser(url: string, handle: string, secret: string): Actor {
  return actorWith(url, handle, secret, { cookie: `crewroom=${secret}`, origin: url, "sec-fetch-site": "same-origin" });
}

/** Whoever has no credential yet; behind a trusted proxy, at that address. */
export function makeNobody(url: string, address?: string): Actor {
  return actorWith(url, "nobody", "", address === undefined ? {} : { "x-forwarded-for": address });
}

function actorWith(url: string, handle: string, token: string, headers: Readonly<Record<string, string>>): Actor {
  async function tryCall(operation: string, input: Value = {}, options: CallOptions = {}): Promise<Reply> {
    const response = await fetch(`${url}/api/${operation}`, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        ...(options.session && { "x-crewroom-session": options.session }),
        ...(options.key && { "idempotency-key": options.key }),
      },
      body: JSON.stringify(input),
    });
    const body = (await response.json()) as Value; // our own API answers objects
    if (response.ok) return { ok: true, value: body, headers: response.headers };
    const { code, message } = body["error"];
    return { ok: false, status: response.status, code, message, error: body["error"], headers: response.headers };
  }

  return {
    handle,
    token,
    try: tryCall,
    async call(operation, input, options) {
      const reply = await tryCall(operation, input, options);
      if (!reply.ok) throw new Error(`${handle} ${operation}: ${reply.status} ${reply.code}: ${reply.message}`);
      return reply.value;
    },
    fetch: (path, init = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) } }),
    in: (named) => makeActor(url, handle, token, named),
  };
}
