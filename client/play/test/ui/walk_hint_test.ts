// The hint how to move.
import assert from "node:assert/strict";
import { test } from "node:test";
import { WalkHint } from "../../src/ui/walk_hint.js";

const frames = (hint: WalkHint, from: number, count: number, time: number, isWalking: boolean): number => {
  for (let i = 0; i < count; ++i) hint.update(isWalking, (from += time));
  return from;
};

test("WalkHint.StaysUntilThePlayerHasWalked", () => {
  const box = { hidden: false };
  const hint = new WalkHint(box as HTMLElement);
  let now = frames(hint, 1000, 1000, 100, false);
  now = frames(hint, now, 1, 100, true); // a touch of a key
  assert.equal(box.hidden, false);
  frames(hint, now, 10, 100, true);
  assert.equal(box.hidden, true);
});

test("WalkHint.SlowFramesCountInFull", () => {
  const box = { hidden: false };
  const hint = new WalkHint(box as HTMLElement);
  frames(hint, frames(hint, 1000, 1, 400, false), 2, 400, true);
  assert.equal(box.hidden, true);
});
