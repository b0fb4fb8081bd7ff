export const AGENT_FILES: readonly string[];
