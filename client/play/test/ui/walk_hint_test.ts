// The hint how to move.
import assert from "node:assert/strict";
import { test } from "node:test";
import { WalkHint } from "../../src/ui/walk_hint.js";

test("WalkHint.StaysUntilThePlayerHasWalked", () => {
  const box = { hidden: false };
  const hint = new WalkHint(box as HTMLElement);
  for (let i = 0; i < 1000; ++i) hint.update(false, 0.1);
  hint.update(true, 0.1); // a touch of a key
  assert.equal(box.hidden, false);
  for (let i = 0; i < 10; ++i) hint.update(true, 0.1);
  assert.equal(box.hidden, true);
});
