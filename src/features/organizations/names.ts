import { z } from "zod";
import { LIMITS } from "../../core/limits.ts";

/** Handles that no member can have: they would read as somebody else, or as a room or a path. */
export const RESERVED_HANDLES: ReadonlySet<string> = new Set(["admin", "system", "crewroom", "human", "approved", "me", "room", "all"]);

/** Members, rooms and organizations are named by one rule: ASCII, so that no two names look alike. */
const NAME = /^[a-z0-9][a-z0-9_-]*$/;
const RULE = "must be 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit";

/** The name of a room or an organization. */
export const nameField = z.string().max(LIMITS.handle, RULE).regex(NAME, RULE);

/** A member's handle. */
export const handleField = nameField.refine((handle) => !RESERVED_HANDLES.has(handle), "is reserved");
