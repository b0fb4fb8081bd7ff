import { expect, test } from "vitest";
import { openDevices } from "./device.ts";

const devices = openDevices(Buffer.alloc(32, 1));
const fresh = () => devices.read(undefined);

test("A browser is known for the accounts that were signed in to from it, and for no other.", () => {
  const device = devices.remember(devices.remember(fresh(), "main/ann"), "other/zoe");
  const again = devices.read(devices.write(device));

  expect(again).toEqual({ ...device, isNew: false });
  expect(["main/ann", "other/zoe", "main/ben", "main/an", ""].map((account) => devices.knows(again, account))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("A mark is worth nothing in another browser, nor one that was made without the key.", () => {
  const [theirs = ""] = devices.remember(fresh(), "main/ann").marks;
  const [forged = ""] = openDevices(Buffer.alloc(32, 2)).remember(fresh(), "main/ann").marks;

  for (const mark of [theirs, forged]) expect(devices.knows({ ...fresh(), marks: [mark] }, "main/ann")).toBe(false);
});

test("The oldest of many accounts is forgotten, and one that comes again is the newest.", () => {
  const accounts = ["a", "b", "c", "d", "e", "a", "f"];
  const device = accounts.reduce(devices.remember, fresh());

  expect(device.marks).toHaveLength(5);
  expect(accounts.filter((account) => !devices.knows(device, account))).toEqual(["b"]);
});

test.each(["", "x", `${"x".repeat(22)}.`, `${"x".repeat(22)}.short`, "x".repeat(5_000), `${"x".repeat(21)};`])(
  "What is no value of ours makes a new device: %j",
  (value) => {
    const read = devices.read(value);

    expect([read.isNew, read.marks, read.id.length]).toEqual([true, [], 22]);
  },
);
