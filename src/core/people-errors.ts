/** An entry of the list of errors: the HTTP status, the sentence that names the fact, and the next step. */
export interface ErrorEntry {
  readonly status: number;
  readonly say: (data: never) => string;
  readonly next: string;
}

/** How signing in, asking, approving and inviting can fail: a part of the one list in `errors.ts`. */
export const PEOPLE_ERRORS = {
  wrong_sign_in: {
    status: 401,
    say: () => "The organization, the user and the password do not go together.",
    next: "Check all three; an administrator can set a new password with: crewroom person password.",
  },
  scope_missing: {
    status: 403,
    say: (d: { scopes: readonly string[] }) => `The client was not let in for that: it needs ${d.scopes.join(" ")}.`,
    next: "Sign in again from the client and ask for those scopes; its person ticks them on the hub's page.",
  },
  sign_up_closed: {
    status: 403,
    say: () => "Organizations cannot be registered here from there: CREWROOM_SIGNUP does not let them.",
    next: "Ask the operator for an invitation, or for: crewroom org add. CREWROOM_SIGNUP=open lets everybody.",
  },
  form_stale: {
    status: 403,
    say: () => "That form was not made for this browser and its present sign-in.",
    next: "Open the page again and send the form from there; cookies must be allowed.",
  },
  person_not_found: {
    status: 404,
    say: (d: { user_id: string }) => `There is nobody called ${JSON.stringify(d.user_id)} here.`,
    next: "See list_users; somebody who is missing can be invited with invite_person, which takes a question along.",
  },
  question_not_found: {
    status: 404,
    say: (d: { question: number }) => `There is no question q${d.question} of yours.`,
    next: "See check_inbox for what you are asked, check_replies for what you asked.",
  },
  approval_not_found: {
    status: 404,
    say: (d: { approval: string }) => `Nothing of yours waits for approval as ${JSON.stringify(d.approval)}.`,
    next: "See list_approvals.",
  },
  session_not_found: {
    status: 404,
    say: (d: { session: string }) => `There is no sign-in ${JSON.stringify(d.session)} of that person.`,
    next: "See list_sessions.",
  },
  invitation_not_found: {
    status: 404,
    say: (d: { invitation: string }) =>
      `There is no invitation ${JSON.stringify(d.invitation)} that could still be used.`,
    next: "See list_invitations.",
  },
  question_move: {
    status: 409,
    say: (d: { question: number; state: string; action: string; problem: string }) =>
      `Question q${d.question} is ${d.state}: ${d.action} is not possible, ${d.problem}.`,
    next: "The allowed moves are in docs/reference/question-states.md.",
  },
  draft_needed: {
    status: 409,
    say: (d: { question: number }) => `Question q${d.question} has no draft of an answer yet.`,
    next: "Write one with propose_response, show it to your person, then send it.",
  },
  approval_closed: {
    status: 409,
    say: (d: { state: string }) => `That request for approval is ${d.state}; nothing was sent by this.`,
    next: "See list_approvals for what waits now.",
  },
  approval_changed: {
    status: 409,
    say: (d: { hash: string }) => `The hash is not that of what waits for approval, which is ${d.hash}.`,
    next: "Show it again, read it, and approve what you saw.",
  },
  level_too_low: {
    status: 403,
    say: (d: { level: string; minimum: string; url: string }) =>
      `That would count as ${d.level}, and this organization asks for ${d.minimum}.`,
    next: "Approve it in your own browser, on the hub's page that url names; for signed, with a passkey.",
  },
  password_exposed: {
    status: 403,
    say: (d: { minimum: string; url: string }) =>
      `Your password has passed through a tool, so what you approve counts as prompted at most, and this organization asks for ${d.minimum}.`,
    next: "Choose a new password on the hub's page that url names, then approve.",
  },
  page_only: {
    status: 403,
    say: (d: { url: string }) =>
      `The text is long, or has characters that do not show: a prompt could hide some of it. Its page is ${d.url}.`,
    next: "Open that page in your own browser and approve it there.",
  },
  last_administrator: {
    status: 409,
    say: (d: { user_id: string }) => `${d.user_id} is the last administrator who can sign in.`,
    next: "Invite another one first: invite_person with role admin.",
  },
  approval_stale: {
    status: 410,
    say: () => "The text was not shown within the last 15 minutes.",
    next: "Show it again with show_approval, read it, then approve.",
  },
  approval_expired: {
    status: 410,
    say: () => "The question's deadline is over, and with it the request for approval.",
    next: "Nothing can be sent any more; its asker was told.",
  },
  invitation_ended: {
    status: 410,
    say: () => "This link does not work: it was used, withdrawn, has run out, or never was one.",
    next: "Ask whoever sent it for a new one.",
  },
  client_document_unfit: {
    status: 400,
    say: (d: { problem: string }) => `The document that the client names itself by cannot be used: ${d.problem}.`,
    next: "Tell whoever runs that client, or use one that registers here.",
  },
  sign_in_over: {
    status: 410,
    say: () => "This sign-in was finished, has run out, or was begun in another browser.",
    next: "Begin it again from the client; a page is good for ten minutes, and cookies must be allowed.",
  },
  not_form_type: {
    status: 415,
    say: () => "The body's type must be application/x-www-form-urlencoded, in UTF-8 and not encoded.",
    next: "Send the form from its page.",
  },
  too_many_attempts: {
    status: 429,
    say: (d: { seconds: number }) => `Too many failed sign-ins; wait ${d.seconds} seconds.`,
    next: "Wait, then sign in with what works.",
  },
  too_many_from_address: {
    status: 429,
    say: (d: { seconds: number }) => `Too many requests of that sort from this address; wait ${d.seconds} seconds.`,
    next: "Wait that long, then try again.",
  },
  passkey_not_fit: {
    status: 400,
    say: () => "That is no answer of a passkey that fits here, with its person verified.",
    next: "Open the page again and let the browser ask your passkey; it needs https, or localhost.",
  },
} as const satisfies Record<string, ErrorEntry>;
