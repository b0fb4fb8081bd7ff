/** One thing that was looked at. */
export interface Finding {
  readonly level: "ok" | "warn" | "fail";
  readonly about: "program" | "settings" | "key" | "database" | "clock" | "disk" | "backup" | "port" | "proxy";
  /** What is the case. */
  readonly says: string;
  /** What to do about it; there is something unless it is ok. */
  readonly next?: string;
}

export const DAY_MS = 86_400_000;
