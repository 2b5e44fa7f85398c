import assert from "node:assert/strict";
import { test } from "node:test";
import { BitReader, BitWriter } from "../../src/core/bits.js";
import { newSeed, randomOf } from "../support/random.js";

const reader = new BitReader();

test("Bits.ReadsWhatWasWritten", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  for (let round = 0; round < 200; ++round) {
    const writer = new BitWriter();
    const items = Array.from({ length: 40 }, () => {
      const width = Math.floor(random() * 33);
      const value = Math.floor(random() * 2 ** width);
      return { width, value, order: random() < 0.5 ? Math.floor(random() * 13) : -1 };
    });
    for (const { width, value, order } of items) order < 0 ? writer.write(value, width) : writer.golomb(value, order);
    reader.reset(writer.view());
    for (const { width, value, order } of items)
      assert.equal(order < 0 ? reader.read(width) : reader.golomb(order), value, `seed ${seed}`);
    reader.finish();
  }
});

test("Bits.GolombCodesAreThoseOfTheDefinition", () => {
  for (const order of [0, 1, 4, 12]) {
    for (const n of [0, 1, 2, 7, 100, 0xffff_ffff]) {
      const m = n + 2 ** order;
      const digits = m.toString(2);
      const low = [...digits.slice(1)].reverse().join("");
      const expected = "0".repeat(digits.length - 1 - order) + "1" + low;
      const writer = new BitWriter();
      writer.golomb(n, order);
      const bits = [...writer.view()].map((byte) => [...byte.toString(2).padStart(8, "0")].reverse().join("")).join("");
      assert.equal(bits.slice(0, expected.length), expected, `golomb(${order}) of ${n}`);
    }
  }
});

test("Bits.RefusesReadsBeyondTheEnd", () => {
  reader.reset(Uint8Array.of(0xff));
  assert.equal(reader.read(8), 255);
  assert.throws(() => reader.bit(), { reason: "malformed bits" });
});

test("Bits.RefusesNumbersOfMoreThan32Bits", () => {
  reader.reset(new Uint8Array(64));
  assert.throws(() => reader.golomb(0), { reason: "malformed bits" });
});

test("Bits.RefusesPaddingThatIsNotZero", () => {
  reader.reset(Uint8Array.of(0b10));
  reader.bit();
  assert.throws(() => reader.finish(), { reason: "malformed bits" });
  reader.reset(Uint8Array.of(1, 0));
  reader.bit();
  assert.throws(() => reader.finish(), { reason: "malformed bits" });
});
