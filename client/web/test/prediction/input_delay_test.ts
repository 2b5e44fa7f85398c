import assert from "node:assert/strict";
import { test } from "node:test";
import { InputDelay } from "../../src/prediction/input_delay.js";
import { newSeed, randomOf } from "../support/random.js";

const rate = 20;
const limits = { least: 0, most: 0, predictedMax: 32 };

test("InputDelay.PredictsAsFarAsTheTargetWithoutADelay", () => {
  const delay = new InputDelay(limits, rate);
  for (let target = 100; target < 200; target += 0.3) assert.equal(delay.advance(target, 2.5, target - 10), target);
  assert.equal(delay.stalls, 0);
});

test("InputDelay.RisesWithTheMarginToTheMost", () => {
  const delay = new InputDelay({ ...limits, least: 1, most: 4 }, rate);
  let predicted = delay.advance(100, 0.5, 95);
  assert.equal(predicted, 99);
  delay.advance(100, 2.4, 95);
  assert.equal(delay.ticks, 2);
  delay.advance(100, 2.6, 95);
  assert.equal(delay.ticks, 3);
  for (let target = 100; target < 150; target += 0.5) {
    const next = delay.advance(target, 9, target - 5);
    assert.ok(next >= predicted && next - predicted <= 0.5 * 1.1 + 1e-9);
    predicted = next;
  }
  assert.equal(delay.ticks, 4);
});

test("InputDelay.FallsOnceLessHasSufficedForTwoSeconds", () => {
  const delay = new InputDelay({ ...limits, most: 8 }, rate);
  let target = 100;
  delay.advance(target, 5, 95);
  const steps = (count: number, margin: number): void => {
    for (let i = 0; i < count; ++i) delay.advance(++target, margin, target - 5);
  };
  steps(39, 2);
  assert.equal(delay.ticks, 5);
  steps(1, 2);
  assert.equal(delay.ticks, 2);
  steps(40, 0);
  assert.equal(delay.ticks, 0);
});

test("InputDelay.RisesWhereMoreTicksWouldBePredictedThanAllowed", () => {
  const delay = new InputDelay({ least: 0, most: 6, predictedMax: 8 }, rate);
  for (let target = 101; target <= 140; ++target) {
    delay.advance(target, 0, target - 12);
    delay.onComplete(target - 12);
  }
  assert.equal(delay.ticks, 4);
  assert.ok(!delay.isStalled);
});

test("InputDelay.StallsOnceAndResumesSmoothly", () => {
  const delay = new InputDelay({ ...limits, predictedMax: 8 }, rate);
  let [target, predicted] = [100, 0];
  for (; target < 115; target += 0.25) predicted = delay.advance(target, 0, 95);
  assert.ok(delay.isStalled && delay.stalls === 1 && Math.floor(predicted) === 103);
  for (; target < 130; target += 0.25) {
    const next = delay.advance(target, 0, target - 5);
    assert.ok(next - predicted <= (target < 116 ? 12 : 0.25 * 1.1 + 1e-9));
    predicted = next;
  }
  assert.ok(!delay.isStalled && delay.stalls === 1);
});

test("InputDelay.AStallIsNoInputDelay", () => {
  const delay = new InputDelay({ least: 1, most: 3, predictedMax: 8 }, rate);
  for (let target = 100; target <= 160; target += 0.5) {
    delay.advance(target, 0, 95);
    assert.ok(delay.present >= 1 && delay.present <= 3);
  }
  assert.ok(delay.distance > 50 && delay.stalls === 1);
  delay.advance(160, 0, 95);
  assert.ok(delay.isStalled, "the target stands still");
  delay.advance(160.5, 0, 95);
  assert.equal(delay.stalls, 1);
});

test("InputDelay.AStalledMomentDoesNotGoBack", () => {
  const delay = new InputDelay({ ...limits, predictedMax: 4 }, rate);
  assert.equal(delay.advance(99.9999, 0, 95), 99.9999);
  assert.ok(delay.advance(100.2, 0, 95) >= 99.9999 && delay.isStalled);
});

test("InputDelay.NeverExceedsItsLimitsOnRandomPaths", () => {
  for (let round = 0; round < 30; ++round) {
    const seed = newSeed();
    const random = randomOf(seed);
    const below = (bound: number): number => Math.floor(bound * random());
    const given = { least: below(3), most: below(8), predictedMax: 4 + below(20) };
    const delay = new InputDelay(given, rate);
    for (let i = 0, target = 50, complete = 40, last = 0; i < 2000; ++i) {
      target += random() < 1 / 200 ? 60 * random() : random();
      if (random() < 0.75) {
        delay.onComplete(complete);
        complete = Math.max(complete, Math.floor(target) - 2 - below(12));
      }
      const predicted = delay.advance(target, 8 * random() - 2, complete);
      const isWithin =
        Math.floor(predicted) <= complete + given.predictedMax &&
        predicted >= complete &&
        predicted <= Math.max(target, complete) &&
        predicted >= last - 1e-9 &&
        delay.ticks >= given.least &&
        delay.ticks <= Math.max(given.least, given.most);
      assert.ok(isWithin, `seed ${seed}, step ${i}`);
      last = predicted;
    }
  }
});
