import type { Operation } from "./core/operation.ts";
import { postMessage } from "./features/chat/post-message.ts";
import { readMessages } from "./features/chat/read-messages.ts";
import { retractMessage } from "./features/chat/retract-message.ts";
import { createRoom } from "./features/rooms/create-room.ts";
import { deleteRoom } from "./features/rooms/delete-room.ts";
import { getRoomInfo } from "./features/rooms/get-room-info.ts";
import { listRooms } from "./features/rooms/list-rooms.ts";
import { setRoomInfo } from "./features/rooms/set-room-info.ts";

/** Everything the hub can do. Tools, addresses, commands, client methods and the reference are made from this list. */
export const operations: readonly Operation[] = [
  // chat
  postMessage,
  readMessages,
  retractMessage,
  // rooms
  listRooms,
  getRoomInfo,
  setRoomInfo,
  createRoom,
  deleteRoom,
];
