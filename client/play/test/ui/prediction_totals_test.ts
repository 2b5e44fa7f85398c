// Totals of prediction, from figures that begin anew.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PredictionFigures } from "../../src/session/timeline.js";
import { PredictionTotals } from "../../src/ui/prediction_totals.js";

const none: PredictionFigures = { rollbacks: 0, late: 0, remote: 0, level: 0, ticksReplayed: 0, corrections: 0, correction: 0, ahead: 0 };

test("PredictionTotals.FiguresThatBeginAnewKeepTheSum", () => {
  const totals = new PredictionTotals();
  totals.add({ ...none, rollbacks: 3, ticksReplayed: 30, late: 1 });
  totals.add({ ...none, rollbacks: 5, ticksReplayed: 68, late: 1 });
  assert.equal(totals.sums.rollbacks, 5);
  totals.add(none);
  totals.add({ ...none, rollbacks: 2, ticksReplayed: 9, remote: 1 });
  assert.deepEqual(totals.sums, { rollbacks: 7, ticksReplayed: 77, late: 1, remote: 1, level: 0, corrections: 0 });
});
