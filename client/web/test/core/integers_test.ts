import assert from "node:assert/strict";
import { test } from "node:test";
import { mulDiv, mulRoundDiv, root, roundDiv } from "../../src/core/integers.js";
import { newSeed, randomOf } from "../support/random.js";

const floorDiv = (n: bigint, d: bigint): bigint => (n % d < 0n ? n / d - 1n : n / d);

test("Integers.MatchTheReferenceModel", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  const number = (bits: number): number => Math.floor((random() * 2 - 1) * 2 ** Math.floor(random() * bits));
  for (let round = 0; round < 20_000; ++round) {
    const [a, b, d] = [number(40), number(30), Math.abs(number(40)) + 1];
    const [x, y, z] = [BigInt(a), BigInt(b), BigInt(d)];
    assert.equal(0 + mulDiv(a, b, d), Number(floorDiv(x * y, z)), `seed ${seed}`);
    assert.equal(0 + mulRoundDiv(a, b, d), Number(floorDiv(2n * x * y + z, 2n * z)), `seed ${seed}`);
    assert.equal(0 + roundDiv(a, d), Number(floorDiv(2n * x + z, 2n * z)), `seed ${seed}`);
    const n = Math.abs(number(50));
    const r = BigInt(root(n));
    assert.ok(r * r <= BigInt(n) && (r + 1n) * (r + 1n) > BigInt(n), `seed ${seed}: root of ${n}`);
  }
});
