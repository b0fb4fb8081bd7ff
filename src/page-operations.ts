import type { Operation } from "./core/operation.ts";
import { approveAnswer } from "./features/approval/approve-answer.ts";
import { listApprovals } from "./features/approval/list-approvals.ts";
import { rejectDraft } from "./features/approval/reject-draft.ts";
import { showApproval } from "./features/approval/show-approval.ts";
import { addNotice } from "./features/notices/add-notice.ts";
import { listNotices } from "./features/notices/list-notices.ts";
import { removeNotice } from "./features/notices/remove-notice.ts";
import { listPasskeys } from "./features/passkeys/list-passkeys.ts";
import { registerPasskey } from "./features/passkeys/register-passkey.ts";
import { removePasskey } from "./features/passkeys/remove-passkey.ts";
import { acceptInvitation } from "./features/people/accept-invitation.ts";
import { allowClient } from "./features/people/allow-client.ts";
import { choosePassword } from "./features/people/choose-password.ts";
import { getUserProfile } from "./features/people/get-user-profile.ts";
import { listSessions } from "./features/people/list-sessions.ts";
import { logout } from "./features/people/logout.ts";
import { revokeSession } from "./features/people/revoke-session.ts";
import { showInvitation } from "./features/people/show-invitation.ts";
import { showSignIn } from "./features/people/show-sign-in.ts";
import { signInOnPage } from "./features/people/sign-in-on-page.ts";
import { checkInbox } from "./features/questions/check-inbox.ts";
import { proposeResponse } from "./features/questions/propose-response.ts";
import { sendResponse } from "./features/questions/send-response.ts";
import { createToken } from "./features/tokens/create-token.ts";
import { listTokens } from "./features/tokens/list-tokens.ts";
import { revokeToken } from "./features/tokens/revoke-token.ts";

/** What the pages do, by name. What is not in the list of operations too, they alone can do. */
export const pageOperations = {
  // pages alone
  showSignIn,
  signInOnPage,
  showInvitation,
  acceptInvitation,
  choosePassword,
  allowClient,
  // of the list
  checkInbox,
  proposeResponse,
  sendResponse,
  listApprovals,
  showApproval,
  approveAnswer,
  rejectDraft,
  getUserProfile,
  listSessions,
  revokeSession,
  logout,
  createToken,
  listTokens,
  revokeToken,
  listPasskeys,
  registerPasskey,
  removePasskey,
  listNotices,
  addNotice,
  removeNotice,
} as const satisfies Readonly<Record<string, Operation>>;

export type PageOperations = typeof pageOperations;
