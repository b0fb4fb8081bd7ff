import { expect, it } from "vitest";
import { openSeal, SealBroken } from "./seal.ts";
import { secretKeyFrom } from "./secret-key.ts";

const seal = openSeal(() => secretKeyFrom("one secret of the tests, long enough"));

it("A seal opens at its own place and with its own key alone, and shows nothing.", () => {
  const other = openSeal(() => secretKeyFrom("another secret of the tests, long"));
  const sealed = seal.close("whsec_ü", "hook/1");

  expect(seal.open(sealed, "hook/1")).toBe("whsec_ü");
  expect(seal.close("whsec_ü", "hook/1")).not.toBe(sealed);
  expect(Buffer.from(sealed, "base64url").includes("whsec")).toBe(false);
  expect(() => seal.open(sealed, "hook/2")).toThrow(SealBroken);
  expect(() => other.open(sealed, "hook/1")).toThrow(SealBroken);
  expect(() => seal.open(`${sealed.slice(0, -1)}${sealed.endsWith("A") ? "B" : "A"}`, "hook/1")).toThrow(SealBroken);
  expect(() => seal.open("", "hook/1")).toThrow(SealBroken);
});
