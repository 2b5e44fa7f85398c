import assert from "node:assert/strict";
import { test } from "node:test";
import { Versions, found } from "../../src/mirror/versions.js";
import { newSeed, randomOf } from "../support/random.js";

interface State {
  readonly tick: number;
  readonly ack: number;
  readonly full: boolean;
}

/** Returns the ticks of the baselines by the words of the page; 0 without one. */
function baselinesOf(states: readonly State[], ack: number): number[] {
  const had = states.filter((state) => state.ack <= ack).sort((a, b) => b.tick - a.tick);
  const lastFull = had.findIndex((state) => state.full);
  const usable = lastFull < 0 ? had : had.slice(0, lastFull + 1);
  const [baseline, next] = usable;
  if (baseline === undefined) return [0, 0, 0];
  const previous = next !== undefined && baseline.tick - next.tick <= 32 ? next : undefined;
  const near = usable.filter((state) => baseline.tick - state.tick <= 8);
  const oldest = near.at(-1)!;
  const early = previous !== undefined && oldest !== baseline && oldest !== previous ? oldest : undefined;
  return [baseline.tick, previous?.tick ?? 0, early?.tick ?? 0];
}

test("Versions.FindTheBaselinesOfThePage", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  for (let round = 0; round < 200; ++round) {
    const versions = new Versions();
    versions.restart(2);
    const states: State[] = [];
    let ack = 1;
    for (let tick = 5; states.length < 60; tick += 1 + Math.floor(random() * (random() < 0.05 ? 50 : 4))) {
      const late = random() < 0.1 && states.length > 0 ? tick - 3 : tick;
      if (states.some((state) => state.tick === late)) continue;
      const state = { tick: late, ack, full: states.length === 0 || random() < 0.05 };
      versions.add(state.tick, state.ack, state.full, Uint32Array.of(late, ~late), 0);
      states.push(state);
      if (random() < 0.5) ++ack;
      const asked = Math.max(0, ack - Math.floor(random() * 12));
      versions.findBaselines(asked);
      const ticks = [found.baseline, found.previous, found.early].map((which) =>
        which < 0 ? 0 : versions.tick(which),
      );
      assert.deepEqual(ticks, baselinesOf(states, asked), `seed ${seed}`);
      if (found.baseline >= 0)
        assert.equal(versions.states[versions.wordsAt(found.baseline)], ticks[0], `seed ${seed}`);
    }
  }
});

test("Versions.PruneNoBaselineOfALaterAcknowledgement", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  const versions = new Versions();
  versions.restart(1);
  const states: State[] = [];
  for (let tick = 1, ack = 1; tick < 3000; tick += 1 + Math.floor(random() * 3), ++ack) {
    const state = { tick, ack, full: states.length === 0 || random() < 0.01 };
    versions.add(tick, ack, state.full, Uint32Array.of(tick), 0);
    states.push(state);
    const floor = Math.max(1, ack - 20);
    versions.prune(floor, 0xffff_ffff);
    const asked = floor + Math.floor(random() * (ack - floor + 1));
    versions.findBaselines(asked);
    const ticks = [found.baseline, found.previous, found.early].map((which) => (which < 0 ? 0 : versions.tick(which)));
    assert.deepEqual(ticks, baselinesOf(states, asked), `seed ${seed}, tick ${tick}`);
    assert.ok(versions.count < 64, `seed ${seed}`);
  }
});

test("Versions.GrowAsTheyForesee", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  const versions = new Versions();
  for (let tick = 1; tick < 3000; ++tick) {
    const words = random() < 0.01 ? Math.floor(random() * 5) : versions.words;
    const restarts = words !== versions.words;
    const expected = versions.states.length + versions.growth(words, restarts);
    if (restarts) versions.restart(words);
    versions.add(tick, tick, tick === 1 || random() < 0.05, new Uint32Array(words), 0);
    assert.equal(versions.states.length, expected, `seed ${seed}, tick ${tick}`);
    versions.prune(Math.max(1, tick - Math.floor(random() * 60)), 0xffff_ffff);
  }
});

test("Versions.LoseTheWordsOfAnotherLayout", () => {
  const versions = new Versions();
  versions.restart(1);
  versions.add(10, 1, true, Uint32Array.of(7), 0);
  versions.restart(3);
  assert.ok(versions.isLost(0));
  assert.equal(versions.newestTick(), 10);
});
