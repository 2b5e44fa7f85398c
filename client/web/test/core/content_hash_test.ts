import assert from "node:assert/strict";
import { test } from "node:test";
import { blake2b } from "@noble/hashes/blake2.js";
import { bytesOfText, toHex } from "../../src/core/bytes.js";
import { contentHash, contentHashWork } from "../../src/core/content_hash.js";
import { newSeed, randomOf } from "../support/random.js";

test("ContentHash.IsBlake2b", () => {
  // b2sum -l 256
  assert.equal(
    toHex(contentHash(bytesOfText("abc"))),
    "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319",
  );
  const seed = newSeed();
  const next = randomOf(seed);
  const sizes = [0, 1, 127, 128, 129, 255, 256, 257, 70_000];
  for (let i = 0; i < 100; ++i) sizes.push(Math.floor(next() * 2000));
  for (const size of sizes) {
    const bytes = Uint8Array.from({ length: size }, () => next() * 256);
    assert.equal(toHex(contentHash(bytes)), toHex(blake2b(bytes, { dkLen: 32 })), `seed ${seed}, ${size} bytes`);
  }
});

test("ContentHash.TwoHashesAtOnceDoNotMeet", () => {
  const bytes = new Uint8Array(300_000).fill(7);
  const [first, second] = [contentHashWork(bytes), contentHashWork(bytes.subarray(1))];
  for (let steps = 0; first.next().done !== true && steps < 10; ++steps) second.next();
  assert.equal(toHex(contentHash(bytes)), toHex(blake2b(bytes, { dkLen: 32 })));
});
