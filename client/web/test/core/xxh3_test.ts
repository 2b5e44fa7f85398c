import assert from "node:assert/strict";
import { test } from "node:test";
import { hashHigh, hashLow, hex64, xxh3 } from "../../src/core/xxh3.js";
import { pageBlock } from "../support/page.js";

const input = Uint8Array.from({ length: 4000 }, (_, i) => i * i * 7 + i * 13 + (i >> 8));
const golden = 0x9e3779b97f4a7c15n;
const mask = (1n << 64n) - 1n;

function hash(size: number, seed = 0n): bigint {
  xxh3(input, size, Number(seed & 0xffff_ffffn), Number((seed >> 32n) & 0xffff_ffffn));
  return (BigInt(hashHigh) << 32n) | BigInt(hashLow);
}

// The values are those of libxxhash for the same bytes.
test("Xxh3.HashesEachLengthClassAsTheLibraryDoes", () => {
  const expected = new Map<number, bigint>([
    [0, 0x2d06800538d394c2n],
    [3, 0x6647634850539fa2n],
    [6, 0x38f9b9ae700f22a8n],
    [9, 0x2dac7c782402c359n],
    [15, 0x52a5435a9cd4977fn],
    [18, 0xf85bb8c0d5b7aa3fn],
    [240, 0xa638b2ea0d229925n],
  ]);
  for (const [size, value] of expected) assert.equal(hash(size), value, `${size} bytes`);
});

test("Xxh3.HashesEveryLengthWithSeedsAsTheLibraryDoes", () => {
  let all = 0n;
  for (let size = 0; size <= 4000; ++size) {
    const seed = size % 3 === 0 ? 0n : size % 3 === 1 ? (golden * BigInt(size)) & mask : BigInt(size);
    all = (all * golden + hash(size, seed)) & mask;
  }
  assert.equal(all, 0x104e2604b146f6f4n);
});

test("Xxh3.HashesTheExamplesOfThePage", () => {
  const page = new Map(
    pageBlock("hash of no bytes")
      .split("\n")
      .map((line) => line.split(/\s{2,}/) as [string, string]),
  );
  const twice = Uint8Array.from({ length: 512 }, (_, i) => i);
  for (const [text, bytes, seed] of [
    ["hash of no bytes", twice.subarray(0, 0), 0],
    ["hash of no bytes, seed 1", twice.subarray(0, 0), 1],
    ["hash of 0 to 255, twice", twice, 0],
    ["the same, seed 1", twice, 1],
  ] as const) {
    xxh3(bytes, bytes.length, seed, 0);
    assert.equal(hex64(hashLow, hashHigh), page.get(text), text);
  }
});

test("Xxh3.ShowsSixteenHexDigits", () => assert.equal(hex64(1, 0xab), "000000ab00000001"));
