// Captions: they describe what is switched on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Situation, captionsOf } from "../../src/ui/captions.js";

const calm: Situation = {
  isPredicting: true,
  canPredict: true,
  whyNoPrediction: "",
  isSmoothing: true,
  isInterpolating: true,
  hasGhost: false,
  rtt: 40,
  behind: 70,
  ahead: 90,
  loss: 0,
  jitter: 0,
  rollbacks: 0,
};
const all = (situation: Partial<Situation>): string => captionsOf({ ...calm, ...situation }).join("\n");

test("Captions.DescribeWhatIsSwitchedOn", () => {
  assert.match(all({}), /90 ms ahead/);
  assert.match(all({}), /Smoothing: /);
  assert.match(all({ isPredicting: false }), /Prediction is off.* 110 ms later/);
  assert.match(all({ canPredict: false, whyNoPrediction: "no rules", isPredicting: false }), /No prediction: no rules\. Your/);
  assert.match(all({ isInterpolating: false }), /Interpolation is off/);
  assert.match(all({ hasGhost: true }), /ghost/);
  assert.match(all({ loss: 0.05 }), /Loss/);
  assert.match(all({ jitter: 20 }), /Jitter/);
  assert.match(all({ isSmoothing: false }), /Smoothing is off/);
  assert.match(all({ rollbacks: 2 }), /Rollback/);
});

test("Captions.NeverNameWhatDoesNotApply", () => {
  assert.doesNotMatch(all({}), /ghost|Loss|Jitter|Rollback|off/);
  assert.doesNotMatch(all({ isPredicting: false, rollbacks: 2 }), /Smoothing|Rollback/);
});
