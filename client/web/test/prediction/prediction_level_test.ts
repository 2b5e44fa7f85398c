// A prediction whose steps read the level, through reloads of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fnv1a32 } from "../../src/core/fnv.js";
import { describe } from "../../src/prediction/misprediction.js";
import type { Rules } from "../../src/prediction/rules.js";
import { type LevelFile, readLevelFile } from "../../src/resource/level_file.js";
import { Court, type Guest, near } from "../support/court.js";
import { courtRules, courtWalk } from "../support/court_rules.js";
import { smallLevel } from "../support/level_builder.js";
import { randomOf } from "../support/random.js";

const f = Math.fround;

/** The level is the wind on the court. */
const windyRules: Rules = {
  reads: courtRules.reads,
  step(world, tick, commands) {
    courtRules.step(world, tick, commands);
    const wind = world.findStaticOf("Wind")?.data[0] ?? 0;
    world.each(["Body"], (_, body) => void (body.velocity.x = f(body.velocity.x + f(wind / 4))));
  },
};

const windOf = (wind: number): LevelFile => ({
  ...readLevelFile(smallLevel(`Wind${wind}`)),
  statics: [{ id: 1n, type: fnv1a32("Wind"), data: Uint8Array.of(wind) }],
});
const [calm, breeze] = [windOf(0), windOf(1)];

class Windy {
  readonly court: Court;
  readonly guest: Guest;

  constructor(rules = windyRules) {
    this.court = new Court(0, { ...near }, randomOf(1), rules);
    this.court.world.statics = [...calm.statics];
    this.guest = this.court.join();
    this.offer(calm, 0);
    this.guest.levels.onStored(calm);
    this.court.ticks(30);
  }

  private offer({ identity }: LevelFile, firstTick: number): void {
    this.guest.levels.add([{ identity, size: 1, firstTick }]);
  }

  /** Reloads the level. The offer arrives before the first tick that reads it. */
  reload(level: LevelFile): void {
    const { court } = this;
    const firstTick = court.world.tick;
    court.world.statics = [...level.statics];
    for (let i = 0; i < near.latency; ++i) court.step();
    this.offer(level, firstTick);
  }

  get mispredictions(): object {
    return { ...this.guest.prediction.statistics.mispredictions };
  }

  /** Waits until nothing moves, and returns whether the guest predicts what the server has. */
  agrees(): boolean {
    this.court.ticks(60);
    return this.guest.agrees(this.guest.avatar, "Body");
  }
}

test("PredictionLevel.ANextLevelIsReadFromItsFirstTick", () => {
  const windy = new Windy();
  const { statistics } = windy.guest.prediction;
  assert.equal(statistics.rollbacks, 0);
  windy.reload(breeze);
  windy.guest.levels.onStored(breeze);
  windy.court.ticks(60);
  assert.deepEqual(windy.mispredictions, { late: 0, level: 0, remote: 0 });
  assert.equal(statistics.rollbacks, 1);
  assert.equal(statistics.corrections, 1);
  assert.ok(windy.court.body(windy.guest.avatar).velocity.x > 1);
  windy.reload(calm);
  assert.ok(windy.agrees(), "the former level is here");
  assert.deepEqual(windy.mispredictions, { late: 0, level: 0, remote: 0 });
});

test("PredictionLevel.ALevelThatTheClientLacksExplainsWhatDiffers", () => {
  const windy = new Windy();
  const { prediction, levels } = windy.guest;
  windy.reload(breeze);
  windy.court.ticks(20);
  const { mispredictions } = prediction.statistics;
  assert.ok(mispredictions.level > 10);
  assert.equal(mispredictions.remote + mispredictions.late, 0);
  assert.match(describe(prediction.lastMisprediction!), /, level: Body\./);
  levels.onStored(breeze);
  windy.court.step();
  const { level } = mispredictions;
  windy.court.ticks(20);
  assert.deepEqual(windy.mispredictions, { late: 0, level, remote: 0 });
  windy.reload(calm);
  assert.ok(windy.agrees());
});

test("PredictionLevel.AChangeByTheGameIsRemoteWithTheLevel", () => {
  const windy = new Windy();
  windy.court.disturbOnce(() => void (windy.court.body(windy.guest.avatar).position.x = 3));
  assert.ok(windy.agrees());
  assert.deepEqual(windy.mispredictions, { late: 0, level: 0, remote: 1 });
});

test("PredictionLevel.StepsThatReadNoStaticAreNotComputedAgain", () => {
  const windy = new Windy(courtRules);
  windy.guest.send(courtWalk(1, 0));
  windy.court.ticks(5);
  const { rollbacks } = windy.guest.prediction.statistics;
  windy.reload(breeze);
  windy.guest.levels.onStored(breeze);
  assert.ok(windy.agrees());
  assert.equal(windy.guest.prediction.statistics.rollbacks, rollbacks);
});
