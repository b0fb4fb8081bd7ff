import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { fail } from "../../core/errors.ts";
import { readBytes } from "../json-body.ts";

/** The fields of a form, each given once. */
export type Form = ReadonlyMap<string, string>;

export const NO_FORM: Form = new Map();

/** The largest form (bytes): the longest field of ours is a reason of a thousand characters. */
const MOST_BYTES = 64 * 1024;
const MOST_FIELDS = 50;
const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;

/**
 * The request's body as a form, read strictly: UTF-8, no field twice.
 *
 * @throws HubError `not_form_type`, `too_large`, `bad_input`. The text sent is never repeated in them.
 * @source application/x-www-form-urlencoded: WHATWG URL Standard 5.1, with refusals where it replaces.
 */
export async function readForm(request: IncomingMessage): Promise<Form> {
  const { "content-type": type, "content-encoding": encoding } = request.headers;
  if (type === undefined || encoding !== undefined || !FORM_TYPE.test(type)) throw fail("not_form_type");
  return parseForm((await readBytes(request, MOST_BYTES)).toString("latin1"));
}

/** @param text  the bytes as they came, one character each. */
export function parseForm(text: string): Form {
  const pairs = text.split("&").filter((pair) => pair !== "");
  if (pairs.length > MOST_FIELDS) throw badForm(`has more than ${MOST_FIELDS} fields`);
  const form = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const name = decodePart(at < 0 ? pair : pair.slice(0, at));
    if (form.has(name)) throw badForm("has a field twice");
    form.set(name, at < 0 ? "" : decodePart(pair.slice(at + 1)));
  }
  return form;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodePart(part: string): string {
  if (/%(?![0-9a-f]{2})/i.test(part)) throw badForm("has a % that stands for nothing");
  const bytes = part
    .replaceAll("+", " ")
    .replace(/%(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  try {
    return utf8.decode(Buffer.from(bytes, "latin1"));
  } catch {
    throw badForm("is not UTF-8");
  }
}

function badForm(problem: string) {
  return fail("bad_input", { field: "", problem });
}

/** Tokens that stand in forms: a page of another site cannot know one, and one session's fit no other. */
export interface FormTokens {
  /** @param bound  what the browser alone holds: its session's secret, or its device's name. */
  make(bound: string): string;
  /** @throws HubError `form_stale` */
  check(form: Form, bound: string): void;
}

export function openFormTokens(key: Uint8Array): FormTokens {
  const make = (bound: string) => createHmac("sha256", key).update(bound).digest("base64url");
  return {
    make,
    check(form, bound) {
      const [given, wanted] = [form.get("form_token") ?? "", make(bound)].map((token) => Buffer.from(token));
      if (!given || !wanted || given.length !== wanted.length || !timingSafeEqual(given, wanted))
        throw fail("form_stale");
    },
  };
}
