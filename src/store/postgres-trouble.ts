import { StoreError } from "./store.ts";

function sqlState(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Classes 08 (connection), 57P (shutdown) and the socket's own errors. */
export function isConnectionTrouble(error: unknown) {
  const state = sqlState(error);
  if (error instanceof StoreError) return error.trouble === "away";
  if (/^(08|57P)/.test(state) || /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST)/.test(state)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|not queryable|timeout exceeded when trying to connect/.test(error.message)
  );
}

/** A wrong password, an unknown user or database, no right to make tables. */
export function isRefusal(error: unknown) {
  return /^(28|3D|42501)/.test(sqlState(error));
}

/** What the transaction cannot go on after: deadlock, serialization, lock timeout, no space. */
export function isDatabaseTrouble(error: unknown) {
  return ["40P01", "40001", "55P03", "53100", "25006", "25P03", "57014"].includes(sqlState(error));
}

export function isWorthAnotherTry(error: unknown) {
  return ["40P01", "40001"].includes(sqlState(error)) || (isConnectionTrouble(error) && !(error instanceof StoreError));
}

export function asStoreError(error: unknown): unknown {
  if (["53100", "25006"].includes(sqlState(error))) return new StoreError("full", error);
  return isDatabaseTrouble(error) ? new StoreError("away", error) : error;
}
