const UNITS = ["B", "KB", "MB", "GB"];
const STEP = 1_024;

/** A number of bytes as people say it. */
export function sizeOf(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(STEP)), UNITS.length - 1);
  const amount = bytes / STEP ** unit;
  return `${amount < 10 && unit > 0 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[unit]}`;
}
