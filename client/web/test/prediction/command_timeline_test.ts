import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandLog } from "../../src/connection/command_log.js";
import { CommandTimeline, never } from "../../src/prediction/command_timeline.js";
import { newSeed, randomOf } from "../support/random.js";

/** A log and a timeline of its commands. */
function made(...ticks: number[]): { log: CommandLog; timeline: CommandTimeline; run(tick: number): number[] } {
  const log = new CommandLog();
  log.forgetBefore(1);
  for (const tick of ticks) log.add(new Uint8Array(4), tick, 0, 0);
  const timeline = new CommandTimeline();
  timeline.addFrom(log);
  const run = (tick: number): number[] => {
    const numbers: number[] = [];
    timeline.run(tick, numbers);
    return numbers;
  };
  return { log, timeline, run };
}

const report = (log: CommandLog, done: number, ...outcomes: number[]): void =>
  log.onFeedback({ done, held: 0, margin: 1, outcomes });

test("CommandTimeline.AnUndoneCommandRunsAfterTheCompleteTick", () => {
  const { log, timeline, run } = made(5, 9);
  assert.deepEqual(run(5), [1]);
  timeline.settle(log, 6);
  assert.equal(timeline.firstWrong(9), 5);
  timeline.rewind(4);
  assert.deepEqual(run(5), []);
  assert.deepEqual(run(7), [1]);
  assert.deepEqual(run(9), [2]);
});

test("CommandTimeline.ALateCommandRunsWhereTheServerRanIt", () => {
  const { log, timeline, run } = made(5);
  assert.deepEqual(run(5), [1]);
  report(log, 1, 3);
  timeline.settle(log, 9);
  assert.equal(timeline.firstWrong(9), 5);
  timeline.rewind(4);
  assert.deepEqual(run(8), [1]);
  assert.equal(timeline.firstWrong(9), never);
});

test("CommandTimeline.ARefusedCommandRunsNever", () => {
  const { log, timeline, run } = made(5, 6);
  run(5);
  run(6);
  report(log, 2, -1, 0);
  timeline.settle(log, 6);
  assert.equal(timeline.firstWrong(9), 5);
  timeline.rewind(4);
  for (let tick = 5; tick < 12; ++tick) assert.deepEqual(run(tick), tick === 6 ? [2] : []);
  timeline.drop(6);
  assert.equal(timeline.size, 0);
  assert.equal(timeline.oldest(), 3);
});

test("CommandTimeline.DropsWhatHasRunAndIsKnown", () => {
  const { log, timeline, run } = made(5, 6);
  run(5);
  timeline.drop(9);
  assert.equal(timeline.size, 2, "their outcomes are unknown");
  report(log, 1);
  timeline.settle(log, 5);
  timeline.drop(5);
  assert.equal(timeline.size, 1);
  assert.equal(timeline.tickOf(1), never);
  assert.equal(timeline.tickOf(2), 6);
});

test("CommandTimeline.SkipsWhatTheLogHasForgotten", () => {
  const { log } = made(5);
  report(log, 1);
  log.forgetBefore(2);
  const other = new CommandTimeline();
  other.addFrom(log);
  assert.equal(other.size, 0);
  log.add(new Uint8Array(4), 6, 0, 0);
  other.addFrom(log);
  assert.equal(other.tickOf(2), 6);
});

// A server that runs commands late or not at all. After each settled tick the history, computed again from the first wrong
// tick, has run exactly what the server ran.
test("CommandTimeline.RepeatsTheHistoryOfTheServer", (t) => {
  for (let round = 0; round < 20; ++round) {
    const seed = newSeed();
    const random = randomOf(seed);
    const { log, timeline, run } = made();
    const ran = new Map<number, number[]>(); // by this client
    const server = new Map<number, number[]>(); // by the server
    const outcomes: number[] = []; // by number - 1
    let [given, done] = [0, 0];
    for (let complete = 1, last = 10; complete < 400; ++complete) {
      for (; given - done < 20 && random() < 0.5; ++given)
        log.add(new Uint8Array(4), last + Math.floor(2 * random()), 0, 0);
      timeline.addFrom(log);
      // The server runs commands that are due, unless they have not arrived.
      while (done < given && log.find(done + 1)!.tick <= complete && random() < 5 / 6) {
        const late = complete - log.find(++done)!.tick;
        const isRefused = random() < 0.1 || late > 16;
        if (!isRefused) server.set(complete, [...(server.get(complete) ?? []), done]);
        outcomes.push(isRefused ? 0 : late === 0 ? -1 : late);
      }
      if (done > 0 && random() < 0.5) report(log, done, ...outcomes.slice(-64).reverse());
      ++last;
      const isKnown = log.firstWaiting() === done + 1; // a complete tick comes with the feedback
      if (isKnown) timeline.settle(log, complete);
      const wrong = Math.min(timeline.firstWrong(last), last);
      timeline.rewind(wrong - 1);
      for (let tick = wrong; tick <= last; ++tick) ran.set(tick, run(tick));
      assert.equal(timeline.firstWrong(last), never);
      timeline.drop(Math.max(complete - 40, 0));
      log.forgetBefore(timeline.oldest());
      for (let tick = Math.max(complete - 30, 1); isKnown && tick <= complete; ++tick)
        assert.deepEqual(ran.get(tick) ?? [], server.get(tick) ?? [], `seed ${seed}, tick ${tick}`);
    }
  }
  t.diagnostic("20 seeds");
});
