// The judge of frames, with times that the test gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameJudge, type Verdict } from "../../src/view/frame_judge.js";

/** Returns the verdicts other than "fine" on frames that took these times. */
function verdicts(times: readonly number[], judge = new FrameJudge()): Verdict[] {
  let now = 1000;
  judge.judge(now);
  return times.map((took) => judge.judge((now += took))).filter((verdict) => verdict !== "fine");
}
const frames = (seconds: number, took: number): number[] => Array<number>(Math.ceil((1000 * seconds) / took)).fill(took);

test("FrameJudge.FastFramesKeepThePicture", () => {
  for (const took of [7, 16.7, 33, 44]) assert.deepEqual(verdicts(frames(60, took)), []);
});

test("FrameJudge.SlowFramesAskForAPlainerPicture", () => {
  for (const took of [46, 100, 190]) assert.deepEqual(verdicts(frames(2.2, took)), ["plainer"]);
  assert.deepEqual(verdicts(frames(6.2, 60)), ["plainer", "plainer", "plainer"]);
});

test("FrameJudge.VerySlowFramesAskForThePlainestPicture", () => {
  for (const took of [250, 400, 999, 1000, 2000, 5000]) assert.equal(verdicts(frames(11, took))[0], "plainest", `${took} ms`);
});

test("FrameJudge.OnePauseIsNoSlowMachine", () => {
  for (const pause of [300, 900, 60_000]) assert.deepEqual(verdicts([...frames(1, 30), pause, ...frames(10, 30)]), []);
});

test("FrameJudge.ARestartForgetsFormerFrames", () => {
  const judge = new FrameJudge();
  verdicts(frames(1.9, 100), judge);
  judge.restart();
  assert.deepEqual(verdicts(frames(1.9, 100), judge), []);
});
