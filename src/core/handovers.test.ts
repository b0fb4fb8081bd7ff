import { describe, expect, test } from "vitest";
import { openHandovers } from "./handovers.ts";

const LATER = 1_000;

describe("handovers", () => {
  test("leave open what lies behind everything taken", () => {
    const handovers = openHandovers();
    handovers.take("place", { from: 0, to: 50, until: LATER });
    handovers.take("place", { from: 50, to: 60, until: LATER });

    expect(handovers.open("place", 0, 0)).toEqual([{ from: 60, to: null }]);
    expect(handovers.open("another place", 7, 0)).toEqual([{ from: 7, to: null }]);
  });

  test("open again exactly what was cut, and nothing that others have under way", () => {
    const handovers = openHandovers();
    const cut = handovers.take("place", { from: 0, to: 50, until: LATER });
    handovers.take("place", { from: 50, to: 60, until: LATER });

    cut(false);

    expect(handovers.open("place", 0, 0)).toEqual([
      { from: 0, to: 50 },
      { from: 60, to: null },
    ]);
  });

  test("confirm only what was written out without a gap before it", () => {
    const handovers = openHandovers();
    const first = handovers.take("place", { from: 0, to: 50, until: LATER });
    const second = handovers.take("place", { from: 50, to: 60, until: LATER });

    second(true);
    const before = handovers.writtenUpTo("place", 0, false);
    first(true);

    expect([before, handovers.writtenUpTo("place", 0, false)]).toEqual([0, 60]);
  });

  test("confirm nothing behind what was cut", () => {
    const handovers = openHandovers();
    const first = handovers.take("place", { from: 0, to: 50, until: LATER });
    const second = handovers.take("place", { from: 50, to: 60, until: LATER });

    first(false);
    second(true);

    expect(handovers.writtenUpTo("place", 0, false)).toBe(0);
  });

  test("open again what nobody spoke of in time", () => {
    const handovers = openHandovers();
    handovers.take("place", { from: 0, to: 50, until: LATER });

    expect(handovers.open("place", 0, LATER - 1)).toEqual([{ from: 50, to: null }]);
    expect(handovers.open("place", 0, LATER)).toEqual([{ from: 0, to: null }]);
  });

  test("hold for the acknowledgement what is confirmed by it alone", () => {
    const handovers = openHandovers();
    handovers.take("place", { from: 0, to: 50, byAck: true, until: LATER })(true);

    expect([handovers.writtenUpTo("place", 0, false), handovers.writtenUpTo("place", 0, true)]).toEqual([0, 50]);
    handovers.acknowledge("place", 20);
    expect(handovers.open("place", 20, 0)).toEqual([{ from: 20, to: null }]);
  });

  test("leave out what another process has under way", () => {
    const handovers = openHandovers();

    expect(handovers.open("place", 0, 0, { from: 0, to: 9, until: LATER })).toEqual([{ from: 9, to: null }]);
  });

  test("remember nothing of a place where all is confirmed", () => {
    const handovers = openHandovers();
    handovers.take("place", { from: 0, to: 50, until: LATER })(true);

    handovers.forget("place", 50);

    expect(handovers.size).toBe(0);
  });
});
