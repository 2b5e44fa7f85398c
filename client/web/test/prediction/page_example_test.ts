import assert from "node:assert/strict";
import { test } from "node:test";
import { Court, near } from "../support/court.js";
import { courtRules } from "../support/court_rules.js";
import { rules } from "../support/page_example.js";
import { randomOf } from "../support/random.js";

// The court's server does other things with the commands. The example moves its own body at once, and is corrected.
test("PageExample.MovesAtOnceAndCountsItsSteps", () => {
  const court = new Court(0, { ...near }, randomOf(1));
  const guest = court.join({}, rules);
  court.ticks(20);
  const x = (): number => guest.shown().position.x;
  const before = x();
  guest.send(Uint8Array.of(114));
  court.ticks(2);
  assert.ok(x() > before);
  assert.equal(guest.effects.started, 1);
  assert.deepEqual(rules.reads, courtRules.reads);
});
