const OCTETS = "application/octet-stream";

/** Types that say nothing a browser would act on. */
const HARMLESS: ReadonlySet<string> = new Set(["text/plain", "text/csv", "text/markdown", "application/json"]);

/** What files of a type begin with, in hex; those of RIFF say which they are after its length. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^47494638(37|39)61/,
  "image/webp": /^52494646.{8}57454250/,
  "application/pdf": /^255044462d/,
  "application/zip": /^504b0304|^504b0506/,
  "application/gzip": /^1f8b/,
};

/** The type a file is sent with: what its author said, where that is harmless or its first bytes bear it out. */
export function servedType(mime: string, beginning: Uint8Array): string {
  if (HARMLESS.has(mime)) return mime.startsWith("text/") ? `${mime}; charset=utf-8` : mime;
  const first = Buffer.from(beginning.subarray(0, 16)).toString("hex");
  return BEGINNINGS[mime]?.test(first) ? mime : OCTETS;
}

/** Controls and what hides or turns the reading direction: `exe.txt` shown for `txt.exe`. */
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A name as a header may carry it, for every client.
 *
 * @source RFC 6266, 4.3 and appendix D; RFC 8187, 3.2.
 */
export function dispositionOf(name: string): string {
  const shown = name.replace(UNSHOWN, "_");
  const plain = shown.replace(/[^\x20-\x7e]|["%\\]/gu, "_");
  const extended = encodeURIComponent(shown).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"${plain === shown ? "" : `; filename*=UTF-8''${extended}`}`;
}
