// Predictions of clients that pause.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Court, near } from "../support/court.js";
import { randomOf } from "../support/random.js";

// The game moves the avatar meanwhile, by less than the snap distance.
test("PredictionPauses.TheCorrectionOfAPauseIsSmoothedAndCounted", () => {
  const court = new Court(0, { ...near }, randomOf(1));
  const guest = court.joinSettled({ position: { component: "Body" } });
  guest.isPaused = true;
  court.body(guest.avatar).position.x = 3;
  court.ticks(60);
  guest.isPaused = false;
  let [last, greatest] = [0, 0];
  for (let i = 0; i < 60; ++i) {
    court.step();
    const now = guest.shown().position.x;
    greatest = Math.max(greatest, Math.abs(now - last));
    last = now;
  }
  const { statistics } = guest.prediction;
  assert.equal(statistics.restarts, 1);
  assert.equal(statistics.corrections, 1);
  assert.ok(Math.abs(statistics.correctionMetres.most - 3) < 0.01);
  assert.ok(Math.abs(last - 3) < 0.01 && greatest < 0.6, `${last}, ${greatest}`);
});
