import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  approvalHash,
  type Binding,
  fitsPrompt,
  type Level,
  levelOf,
  LEVELS,
  obstacleTo,
  type Press,
  type Request,
  SHOWN_FOR_MS,
  suffices,
  traitsOf,
} from "./model.ts";

const BINDING: Binding = {
  organization: "main",
  number: 5,
  question: "How many retries?",
  options: ["three", "none"],
  asker: "ann",
  recipient: "ben",
  text: "Three, with growing pauses: café.",
  sharing: "no",
  expires_at: 1_800_000_000_000,
  nonce: "00ff",
};

test("the hash is SHA-256 over what is approved, so that anybody can compute it again", () => {
  const bytes = Buffer.from(
    `["crewroom approval 1","main",5,"How many retries?",["three","none"],"ann","ben","Three, with growing pauses: café.","no",1800000000000,"00ff"]`,
  );

  expect(approvalHash(BINDING)).toBe(createHash("sha256").update(bytes).digest("hex"));
});

describe("one changed byte is another approval", () => {
  const text = BINDING.text;
  test.each<[string, Partial<Binding>]>([
    ["a letter", { text: text.replace("Three", "three") }],
    ["a trailing space", { text: `${text} ` }],
    ["a leading space", { text: ` ${text}` }],
    ["a line end", { text: `${text}\n` }],
    ["CRLF for LF", { text: text.replace(": ", ":\r\n") }],
    ["LF for a space", { text: text.replace(": ", ":\n") }],
    ["NFD for NFC", { text: text.normalize("NFD") }],
    ["a zero-width space", { text: text.replace(":", "\u200b:") }],
    ["a bidi override", { text: text.replace(":", "\u202e:") }],
    ["a tag character", { text: text.replace(":", "\u{e0041}:") }],
    ["a look-alike", { text: text.replace("T", "\u0422") }],
    ["an end that is left out", { text: text.slice(0, -1) }],
    ["another recipient", { recipient: "bem" }],
    ["another asker", { asker: "anm" }],
    ["the two changed about", { asker: "ben", recipient: "ann" }],
    ["another question", { number: 6 }],
    ["another question's words", { question: "How many retries? " }],
    ["other options", { options: ["none", "three"] }],
    ["an option cut in two", { options: ['three","none'] }],
    ["another organization", { organization: "other" }],
    ["another deadline", { expires_at: BINDING.expires_at + 1 }],
    ["another nonce", { nonce: "00fe" }],
    ["shared with the organization", { sharing: "organization" }],
    ["shared with a room", { sharing: { room: 1 } }],
    ["a field's end moved into the next", { asker: 'ann","ben', recipient: "" }],
  ])("%s", (_, change) => {
    expect(approvalHash({ ...BINDING, ...change })).not.toBe(approvalHash(BINDING));
  });

  test("whatever the two are", () => {
    const text = fc.string({ unit: "binary", maxLength: 40 });
    const binding = fc.record<Binding>({
      organization: fc.constantFrom("main", "other"),
      number: fc.nat(2),
      question: text,
      options: fc.array(text, { maxLength: 2 }),
      asker: fc.constantFrom("ann", "ben"),
      recipient: fc.constantFrom("ann", "ben"),
      text,
      sharing: fc.constantFrom<Binding["sharing"]>("no", "organization", { room: 1 }, { room: 2 }),
      expires_at: fc.nat(2),
      nonce: fc.constantFrom("a", "b"),
    });

    fc.assert(
      fc.property(binding, binding, (one, other) => {
        expect(approvalHash(one) === approvalHash(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 5_000 },
    );
  });
});

test("only a browser's own session counts as confirmed, only a passkey in it as signed, and no exposed password as either", () => {
  const flags = [false, true];
  const all = flags.flatMap((browser) =>
    flags.flatMap((passkey) => flags.map((exposed) => levelOf({ browser, passkey, exposed }))),
  );

  expect(all).toEqual([
    // without a browser
    "prompted",
    "prompted",
    "prompted",
    "prompted",
    // in one: fresh, exposed; with a passkey: fresh, exposed
    "confirmed",
    "prompted",
    "signed",
    "prompted",
  ]);
});

test("a level suffices for itself and for what is below", () => {
  const table = LEVELS.map((level) => LEVELS.filter((minimum) => suffices(level, minimum)));

  expect(table).toEqual(LEVELS.map((_, at) => LEVELS.slice(0, at + 1)));
});

describe("a request", () => {
  const request: Request = { state: "open", person: "ben", hash: "aa", expires_at: 10_000_000, shown_at: 1_000 };
  const press: Press = { person: "ben", hash: "aa", level: "confirmed", minimum: "confirmed", needsShowing: true };
  const soon = 1_000 + SHOWN_FOR_MS;

  test("may be used by its person, shown, unchanged, in time, once", () => {
    expect(obstacleTo(request, press, 2_000)).toBeUndefined();
    expect(obstacleTo(request, press, soon - 1)).toBeUndefined();
  });

  test.each<[string, Partial<Request>, Partial<Press>, number]>([
    ["not_yours", {}, { person: "cleo" }, 2_000],
    ["closed", { state: "approved" }, {}, 2_000],
    ["closed", { state: "rejected" }, {}, 2_000],
    ["closed", { state: "void" }, {}, 2_000],
    ["expired", {}, {}, 10_000_000],
    ["changed", {}, { hash: "ab" }, 2_000],
    ["too_low", {}, { level: "prompted" }, 2_000],
    ["too_low", {}, { minimum: "signed" }, 2_000],
    ["not_shown", { shown_at: null }, {}, 2_000],
    ["not_shown", {}, {}, soon],
  ])("%s: %j %j at %i", (obstacle, otherRequest, otherPress, now) => {
    expect(obstacleTo({ ...request, ...otherRequest }, { ...press, ...otherPress }, now)).toBe(obstacle);
  });

  test("whatever is tried, is used only when nothing at all stands against it", () => {
    const anyRequest = fc.record<Request>({
      state: fc.constantFrom("open", "approved", "rejected", "void"),
      person: fc.constantFrom("ben", "cleo"),
      hash: fc.constantFrom("aa", "ab"),
      expires_at: fc.nat(3_000_000),
      shown_at: fc.option(fc.nat(3_000_000)),
    });
    const level = fc.constantFrom<Level>(...LEVELS);
    const anyPress = fc.record<Press>({
      person: fc.constantFrom("ben", "cleo"),
      hash: fc.constantFrom("aa", "ab"),
      level,
      minimum: level,
      needsShowing: fc.boolean(),
    });

    fc.assert(
      fc.property(anyRequest, anyPress, fc.nat(3_000_000), (request, press, now) => {
        const shown = request.shown_at !== null && now - request.shown_at < SHOWN_FOR_MS;
        const all = [
          request.state === "open",
          request.person === press.person,
          request.hash === press.hash,
          now < request.expires_at,
          LEVELS.indexOf(press.level) >= LEVELS.indexOf(press.minimum),
          shown || !press.needsShowing,
        ];
        expect(obstacleTo(request, press, now) === undefined).toBe(all.every(Boolean));
      }),
      { numRuns: 5_000 },
    );
  });
});

test.each([
  ["plain words", "Three.\n\n\tWith 東京, café and 👍🏽.", true],
  ["2,000 characters", "€".repeat(2_000), true],
  ["2,001 characters", "€".repeat(2_001), false],
  ["a zero-width space", "Th\u200bree", false],
  ["a soft hyphen", "Th\u00adree", false],
  ["a bidi override", "Th\u202eree", false],
  ["a bidi isolate", "Th\u2066ree", false],
  ["tag characters", "Three\u{e0059}\u{e0045}\u{e0053}", false],
  ["a byte order mark", "\ufeffThree", false],
  ["a carriage return, which a terminal writes over", "Three\rFour", false],
  ["an escape sequence", "Three\u001b[2K", false],
])("whether a prompt can show a text: %s", (_, text, fits) => {
  expect(fitsPrompt(traitsOf(text))).toBe(fits);
});

test("a text says what in it could deceive its reader", () => {
  expect(traitsOf("ab\u202ecd")).toEqual({ long: false, has_invisible: true, has_bidi: true });
  expect(traitsOf("ab\u200bcd")).toEqual({ long: false, has_invisible: true, has_bidi: false });
  expect(traitsOf("x".repeat(2_001))).toEqual({ long: true, has_invisible: false, has_bidi: false });
});
