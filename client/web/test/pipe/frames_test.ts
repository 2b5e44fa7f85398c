import assert from "node:assert/strict";
import { test } from "node:test";
import { concat, toHex } from "../../src/core/bytes.js";
import { FrameReader, opcode, writeFrame } from "../../src/pipe/frames.js";

const serverFrame = (size: number): Uint8Array => {
  const head = size < 126 ? Uint8Array.of(0x82, size) : Uint8Array.of(0x82, 126, size >> 8, size & 255);
  return concat(head, new Uint8Array(size).fill(size));
};

test("Frames.AreCutAtAnyPlace", () => {
  const sizes = [1, 125, 126, 1225];
  const stream = concat(...sizes.map(serverFrame));
  for (const step of [1, 7, 200, stream.length]) {
    const reader = new FrameReader();
    const frames = [];
    for (let at = 0; at < stream.length; at += step) frames.push(...reader.add(stream.subarray(at, at + step))!);
    assert.deepEqual(
      frames.map(({ bytes }) => bytes.length),
      sizes,
    );
  }
});

test("Frames.AServerThatBreaksTheProtocolIsRefused", () => {
  for (const head of [
    [0x82, 0x81],
    [0xc2, 1],
    [0x82, 126, 4, 202],
    [0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0],
  ])
    assert.equal(new FrameReader().add(Uint8Array.from(head)), null, head.join());
});

test("Frames.AClientMasksThem", () => {
  const mask = Uint8Array.of(1, 2, 3, 4);
  assert.equal(toHex(writeFrame(opcode.binary, Uint8Array.of(9, 9, 9, 9, 9), mask)), "82850102030408" + "0b0a0d08");
  assert.equal(toHex(writeFrame(opcode.binary, new Uint8Array(300), mask).subarray(0, 8)), "82fe012c01020304");
});

test("Frames.EmptyOnesAreNotCopiedAgainAndAgain", (t) => {
  const count = 20_000;
  const stream = new Uint8Array(2 * count).map((_, i) => (i % 2 === 0 ? 0x89 : 0));
  let copied = 0;
  const { slice } = Uint8Array.prototype;
  t.mock.method(Uint8Array.prototype, "slice", function (this: Uint8Array, begin?: number, end?: number) {
    const copy = slice.call(this, begin, end);
    copied += copy.length;
    return copy;
  });
  assert.equal(new FrameReader().add(stream)!.length, count);
  assert.ok(copied <= stream.length, `${copied} bytes`);
});
