import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../src/core/random.js";

const next = (random: Random): bigint => {
  random.next();
  return (BigInt(random.high) << 32n) | BigInt(random.low);
};

// The same numbers as in tests/core/random_test.cpp.
test("Random.NumbersOfASeedNeverChange", () => {
  const zero = new Random(0n);
  for (const expected of [0x99ec5f36cb75f2b4n, 0xbf6e1f784956452an, 0x1a5f849d4933e6e0n, 0x6aa594f1262d2d2cn])
    assert.equal(next(zero), expected);
  const random = new Random(42n);
  let folded = 0n;
  for (let i = 0; i < 1_000_000; ++i) {
    const mixed = folded ^ next(random);
    folded = BigInt.asUintN(64, (mixed << 1n) | (mixed >> 63n));
  }
  assert.equal(folded, 0x32af80785ce872f9n);
});

test("Random.NumbersOfTheDistributionsNeverChange", () => {
  const whole = new Random(42n);
  const bounds = [1, 2, 6, 1000, 2 ** 31, 0xffff_ffff, 3_000_000_000, 10];
  assert.deepEqual(
    bounds.map((bound) => whole.below(bound)),
    [0, 0, 4, 924, 2129882687, 3306005808, 2157775733, 8],
  );
  const real = new Random(42n);
  for (const expected of [0.08386296033859253, 0.37898021936416626, 0.6800433993339539, 0.9246929287910461])
    assert.equal(real.uniform(0, 1), Math.fround(expected));
});

test("Random.UniformStaysBelowItsEnd", () => {
  const random = new Random(8n);
  for (const [low, high] of [
    [1, Math.fround(1.0000001)],
    [-1, 0],
    [-3, -1],
    [0, 2 ** -149],
  ] as const)
    for (let i = 0; i < 1000; ++i) {
      const value = random.uniform(low, high);
      assert.ok(value >= low && value < high && value === Math.fround(value), `${value}`);
    }
});

test("Random.ASeedBeginsTheNumbersAnew", () => {
  const [one, other] = [new Random(7n), new Random(0x7_0000_0009n)];
  one.seed(9, 7);
  assert.equal(next(one), next(other));
  assert.ok(one.chance(1, 1) && !one.chance(0, 1));
});
