import { z } from "zod";
import { LEVELS } from "../approval/model.ts";
import { INVITERS } from "./policy-queries.ts";

/** An organization's rules as answers carry them. */
export const policy = z.object({ minimum_assurance: z.enum(LEVELS), invitations_by: z.enum(INVITERS) });
