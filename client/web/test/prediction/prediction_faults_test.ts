// Predictions under random faults: bad paths, pauses, other mirrors, changes by the game. Whatever happened, predicted
// values are the server's once nothing moves, and each effect has ended once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describe } from "../../src/prediction/misprediction.js";
import { Court, type Guest, near } from "../support/court.js";
import { newSeed, randomOf } from "../support/random.js";

class Faults {
  readonly court: Court;
  private readonly disturbs: boolean;
  private readonly below = (bound: number): number => Math.floor(bound * this.random());

  constructor(private readonly random: () => number) {
    const conditions = {
      latency: this.below(8),
      jitter: this.below(6),
      loss: 0.15 * random(),
      incomplete: 0.2 * random(),
    };
    this.court = new Court(1 + this.below(4), conditions, random);
    this.disturbs = random() < 0.5;
    for (let players = 1 + this.below(3); players > 0; --players) {
      const least = this.below(3);
      const inputDelay = { least, most: least + this.below(4), predictedMax: 12 + this.below(30) };
      this.court.join({ inputDelay });
    }
  }

  private disturb(guest: Guest): void {
    const { random, court } = this;
    if (random() < 1 / 150) guest.isPaused = true;
    if (random() < 1 / 10) guest.isPaused = false;
    if (random() < 1 / 200) guest.beginMirror();
    if (random() < 1 / 40)
      guest.prediction.setPredicted(court.crates[this.below(court.crates.length)]!, random() < 0.75);
  }

  private changeWorld(): void {
    const [crate] = this.court.crates;
    const body = this.court.body(crate!);
    body.position.x = 40 * this.random() - 20;
    body.velocity.z = 18 * this.random() - 9;
    this.court.world.get(crate!, "Surface").friction = this.random() < 0.5 ? 0.1 : 0.2;
  }

  play(ticks: number): void {
    const { court } = this;
    for (let i = 0; i < ticks; ++i) {
      for (const guest of court.guests) this.disturb(guest);
      if (this.disturbs && this.random() < 1 / 30) court.disturb = () => this.changeWorld();
      court.play(1);
      court.disturb = null;
      for (const { prediction } of court.guests) assert.ok(prediction.tick - prediction.reconciledTick <= 42);
    }
  }

  expectAgreement(): void {
    const { court } = this;
    Object.assign(court.conditions, near);
    for (const guest of court.guests) guest.isPaused = false;
    court.ticks(200);
    for (const guest of court.guests) {
      const { prediction, effects } = guest;
      assert.ok(guest.agrees(guest.avatar, "Body") && guest.agrees(guest.avatar, "Thrower"));
      for (const crate of court.crates) if (prediction.predicted(crate)) assert.ok(guest.agrees(crate, "Body"));
      assert.equal(effects.faults, 0);
      assert.equal(effects.running(), 0);
      assert.equal(prediction.spawns.locals.length, 0);
      const { lastMisprediction: last, statistics } = prediction;
      const isAlone = court.guests.length === 1 && !this.disturbs;
      if (isAlone) assert.equal(statistics.mispredictions.remote, 0, last === null ? "" : describe(last));
    }
  }
}

for (let i = 0; i < 12; ++i)
  test(`PredictionFaults.EndInAgreement_${i}`, (t) => {
    const seed = newSeed();
    t.diagnostic(`seed ${seed}`);
    const faults = new Faults(randomOf(seed));
    faults.play(500);
    faults.expectAgreement();
  });
