// Slices end after their time, and lose nothing. The clock is that of the test.
import assert from "node:assert/strict";
import { type TestContext, mock, test } from "node:test";
import { Slices } from "../../src/view/slices.js";

/** Returns slices of the keys 0 to 9, and a callback that notes a key and takes 2 ms. */
function start(t: TestContext): { slices: Slices<number>; placed: number[]; place: (key: number) => void } {
  let now = 0;
  mock.method(performance, "now", () => now);
  t.after(() => mock.restoreAll());
  const slices = new Slices<number>();
  for (let key = 0; key < 10; ++key) slices.add(key);
  const placed: number[] = [];
  const place = (key: number): void => {
    placed.push(key);
    now += 2;
  };
  return { slices, placed, place };
}

test("Slices.EndAfterTheirTimeAndContinueInOrder", (t) => {
  const { slices, placed, place } = start(t);
  slices.run(6, place);
  assert.deepEqual(placed, [0, 1, 2]);
  assert.equal(slices.count, 7);
  slices.run(11, place);
  assert.deepEqual(placed, [0, 1, 2, 3, 4, 5]);
  slices.run(100, place);
  assert.deepEqual(placed, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(slices.count, 0);
});

test("Slices.PlaceOneKeyEvenWithoutTime", (t) => {
  const { slices, placed, place } = start(t);
  slices.run(0, place);
  assert.deepEqual(placed, [0]);
});

test("Slices.AKeyThatIsAddedTwiceIsPlacedOnce", (t) => {
  const { slices, placed, place } = start(t);
  slices.add(3);
  slices.run(100, place);
  assert.equal(placed.length, 10);
});

test("Slices.ADeletedKeyIsNotPlaced", (t) => {
  const { slices, placed, place } = start(t);
  slices.delete(1);
  slices.run(4, place);
  assert.deepEqual(placed, [0, 2]);
  slices.clear();
  slices.run(100, place);
  assert.deepEqual(placed, [0, 2]);
});
