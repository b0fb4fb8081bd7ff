import type { Operation } from "./core/operation.ts";
import { approveAnswer } from "./features/approval/approve-answer.ts";
import { listApprovals } from "./features/approval/list-approvals.ts";
import { rejectDraft } from "./features/approval/reject-draft.ts";
import { showApproval } from "./features/approval/show-approval.ts";
import { addNote } from "./features/board/add-note.ts";
import { claimNext } from "./features/board/claim-next.ts";
import { claimTask } from "./features/board/claim-task.ts";
import { createTask } from "./features/board/create-task.ts";
import { getTask } from "./features/board/get-task.ts";
import { listTasks } from "./features/board/list-tasks.ts";
import { releaseTask } from "./features/board/release-task.ts";
import { updateTask } from "./features/board/update-task.ts";
import { postMessage } from "./features/chat/post-message.ts";
import { readMessages } from "./features/chat/read-messages.ts";
import { retractMessage } from "./features/chat/retract-message.ts";
import { acknowledge } from "./features/delivery/acknowledge.ts";
import { catchUp } from "./features/delivery/catch-up.ts";
import { getReceipts } from "./features/delivery/get-receipts.ts";
import { listAgents } from "./features/delivery/list-agents.ts";
import { readEvents } from "./features/delivery/read-events.ts";
import { waitForChange } from "./features/delivery/wait-for-change.ts";
import { whatsNew } from "./features/delivery/whats-new.ts";
import { getAuditLog } from "./features/organizations/get-audit-log.ts";
import { instanceState } from "./features/organizations/instance-state.ts";
import { setPolicy } from "./features/organizations/set-policy.ts";
import { changePassword } from "./features/people/change-password.ts";
import { listPasskeys } from "./features/passkeys/list-passkeys.ts";
import { registerPasskey } from "./features/passkeys/register-passkey.ts";
import { removePasskey } from "./features/passkeys/remove-passkey.ts";
import { deactivateMember } from "./features/people/deactivate-member.ts";
import { getUserProfile } from "./features/people/get-user-profile.ts";
import { grantRoom } from "./features/people/grant-room.ts";
import { invitePerson } from "./features/people/invite-person.ts";
import { listInvitations } from "./features/people/list-invitations.ts";
import { listMembers } from "./features/people/list-members.ts";
import { listSessions } from "./features/people/list-sessions.ts";
import { listUsers } from "./features/people/list-users.ts";
import { login } from "./features/people/login.ts";
import { logout } from "./features/people/logout.ts";
import { registerOrganization } from "./features/people/register-organization.ts";
import { registerUser } from "./features/people/register-user.ts";
import { resetPassword } from "./features/people/reset-password.ts";
import { revokeInvitation } from "./features/people/revoke-invitation.ts";
import { revokeRoom } from "./features/people/revoke-room.ts";
import { revokeSession } from "./features/people/revoke-session.ts";
import { setMyProfile } from "./features/people/set-my-profile.ts";
import { updateMyNotes } from "./features/people/update-my-notes.ts";
import { updateUserProfileNotes } from "./features/people/update-user-profile-notes.ts";
import { whoShouldIAsk } from "./features/people/who-should-i-ask.ts";
import { whoami } from "./features/people/whoami.ts";
import { askPerson } from "./features/questions/ask-person.ts";
import { checkInbox } from "./features/questions/check-inbox.ts";
import { checkReplies } from "./features/questions/check-replies.ts";
import { declineQuestion } from "./features/questions/decline-question.ts";
import { followUp } from "./features/questions/follow-up.ts";
import { proposeResponse } from "./features/questions/propose-response.ts";
import { redirectQuestion } from "./features/questions/redirect-question.ts";
import { sendResponse } from "./features/questions/send-response.ts";
import { withdrawQuestion } from "./features/questions/withdraw-question.ts";
import { createRoom } from "./features/rooms/create-room.ts";
import { archiveRoom } from "./features/rooms/archive-room.ts";
import { deleteRoom } from "./features/rooms/delete-room.ts";
import { createHook } from "./features/hooks/create-hook.ts";
import { deleteHook } from "./features/hooks/delete-hook.ts";
import { listHooks } from "./features/hooks/list-hooks.ts";
import { deleteFile } from "./features/files/delete-file.ts";
import { getFile } from "./features/files/get-file.ts";
import { listFiles } from "./features/files/list-files.ts";
import { putFile } from "./features/files/put-file.ts";
import { getRoomInfo } from "./features/rooms/get-room-info.ts";
import { listRooms } from "./features/rooms/list-rooms.ts";
import { renameRoom } from "./features/rooms/rename-room.ts";
import { setRetention } from "./features/rooms/set-retention.ts";
import { setRoomInfo } from "./features/rooms/set-room-info.ts";
import { setRoomPolicy } from "./features/rooms/set-room-policy.ts";
import { addNotice } from "./features/notices/add-notice.ts";
import { listNotices } from "./features/notices/list-notices.ts";
import { removeNotice } from "./features/notices/remove-notice.ts";
import { search } from "./features/search/search.ts";
import { searchAnswers } from "./features/search/search-answers.ts";
import { createToken } from "./features/tokens/create-token.ts";
import { listTokens } from "./features/tokens/list-tokens.ts";
import { purgeTokens } from "./features/tokens/purge-tokens.ts";
import { revokeToken } from "./features/tokens/revoke-token.ts";
import { requestWake } from "./features/wakes/request-wake.ts";

/** Everything the hub can do. Tools, addresses, commands, client methods and the reference are made from this list. */
export const operations = [
  // chat
  postMessage,
  readMessages,
  retractMessage,
  // board
  listTasks,
  getTask,
  createTask,
  claimTask,
  claimNext,
  updateTask,
  releaseTask,
  addNote,
  // files
  putFile,
  getFile,
  listFiles,
  deleteFile,
  // activity
  whatsNew,
  catchUp,
  requestWake,
  waitForChange,
  readEvents,
  listAgents,
  getReceipts,
  acknowledge,
  search,
  // rooms
  listRooms,
  getRoomInfo,
  setRoomInfo,
  setRoomPolicy,
  setRetention,
  createRoom,
  renameRoom,
  archiveRoom,
  deleteRoom,
  // questions
  whoShouldIAsk,
  askPerson,
  checkReplies,
  checkInbox,
  proposeResponse,
  sendResponse,
  followUp,
  withdrawQuestion,
  declineQuestion,
  redirectQuestion,
  searchAnswers,
  // approval
  listApprovals,
  showApproval,
  approveAnswer,
  rejectDraft,
  listPasskeys,
  registerPasskey,
  removePasskey,
  // people
  registerOrganization,
  registerUser,
  login,
  logout,
  whoami,
  listUsers,
  getUserProfile,
  updateMyNotes,
  setMyProfile,
  updateUserProfileNotes,
  addNotice,
  listNotices,
  removeNotice,
  invitePerson,
  listInvitations,
  revokeInvitation,
  // administration
  createToken,
  listTokens,
  revokeToken,
  purgeTokens,
  createHook,
  listHooks,
  deleteHook,
  changePassword,
  resetPassword,
  listSessions,
  revokeSession,
  listMembers,
  deactivateMember,
  grantRoom,
  revokeRoom,
  setPolicy,
  getAuditLog,
  instanceState,
] as const satisfies readonly Operation[];
