import assert from "node:assert/strict";
import { test } from "node:test";
import { Arrivals, CommandLog } from "../../src/connection/command_log.js";

const feedback = (done: number, ...outcomes: number[]) => ({ done, held: 0, outcomes, late: 0, early: 0 }) as never;

test("CommandLog.AnotherZoneRepeatsWhatTheFormerOneHasNotDone", () => {
  const former = new CommandLog();
  for (let number = 1; number <= 4; ++number) former.add(Uint8Array.of(number), 100 + number, 99.5, 7);
  former.onFeedback(feedback(2, 1, 0));
  const log = new CommandLog();
  log.continueFrom(former, -60, 50, 3);
  const { first, commands } = log.toSend(new Arrivals());
  assert.equal(first, 3);
  assert.deepEqual(
    commands.map(({ tick, lag, bytes }) => [tick, lag, bytes[0]]),
    [
      [43, 256 * 3.5, 3],
      [44, 256 * 4.5, 4],
    ],
  );
  assert.equal(log.add(Uint8Array.of(5), 10, 9, 3), 5, "numbers go on");
  assert.equal(log.find(5)!.tick, 44, "ticks do not go back");
  assert.deepEqual(log.takeIneffective().map(({ number }) => number), [1]);
});

test("CommandLog.AnEarlyZoneHasNoTicksBelow0", () => {
  const former = new CommandLog();
  former.add(Uint8Array.of(1), 100, 90, 0);
  const log = new CommandLog();
  log.continueFrom(former, -98, 10, 0);
  assert.deepEqual([log.find(1)!.tick, log.find(1)!.lag], [2, 512]);
  const lower = new CommandLog();
  lower.continueFrom(former, -200, 0, 0);
  assert.deepEqual([lower.find(1)!.tick, lower.find(1)!.lag], [0, 0]);
});

test("CommandLog.CommandsThatHaveWaitedAreLateByEightTicksAtMost", () => {
  const former = new CommandLog();
  for (const tick of [100, 119]) former.add(Uint8Array.of(1), tick, tick - 2, 0);
  const log = new CommandLog();
  log.continueFrom(former, -60, 62.5, 0);
  assert.deepEqual([log.find(1)!.tick, log.find(1)!.lag, log.find(2)!.tick], [54, 512, 59]);
  assert.equal(log.add(Uint8Array.of(1), 63, 60, 0), 3);
});
