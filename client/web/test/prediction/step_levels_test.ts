import assert from "node:assert/strict";
import { test } from "node:test";
import { OfferedLevels } from "../../src/connection/offered_levels.js";
import { never } from "../../src/prediction/command_timeline.js";
import { StepLevels } from "../../src/prediction/step_levels.js";
import { type LevelFile, readLevelFile } from "../../src/resource/level_file.js";
import { smallLevel } from "../support/level_builder.js";

const [former, next] = ["Former", "Next"].map((name) => readLevelFile(smallLevel(name))) as [LevelFile, LevelFile];

/** Levels of which the server has offered the second from tick 5 on, and steps up to tick 8 that read the first. */
function steppedTo8(isRead: (tick: number) => boolean): { offered: OfferedLevels; levels: StepLevels } {
  const offered = new OfferedLevels();
  offered.add([{ identity: former.identity, size: 1, firstTick: 0 }]);
  offered.onStored(former);
  const levels = new StepLevels(offered, 8);
  for (let tick = 1; tick <= 8; ++tick) {
    if (tick === 7) offered.add([{ identity: next.identity, size: 1, firstTick: 5 }]);
    levels.begin(tick);
    if (isRead(tick)) assert.equal(levels.read(), former.statics);
  }
  return { offered, levels };
}

test("StepLevels.TicksOfTheNextLevelAreWrongOnceItIsHere", () => {
  const { offered, levels } = steppedTo8(() => true);
  assert.equal(levels.firstWrong(0, 8), never);
  offered.onStored(next);
  assert.equal(levels.firstWrong(0, 8), 5);
  assert.equal(levels.firstWrong(6, 8), 7);
  assert.equal(levels.firstWrong(0, 4), never);
  levels.begin(8);
  assert.equal(levels.read(), next.statics);
  assert.equal(levels.firstWrong(7, 8), never);
});

test("StepLevels.StepsThatReadNoStaticAreRight", () => {
  const { offered, levels } = steppedTo8((tick) => tick === 6);
  offered.onStored(next);
  assert.equal(levels.firstWrong(0, 8), 6);
  assert.equal(levels.firstWrong(6, 8), never);
});

test("StepLevels.AStepLacksALevelThatIsNotHere", () => {
  const { offered, levels } = steppedTo8(() => true);
  assert.ok(!levels.lacksOne(0, 4));
  assert.ok(levels.lacksOne(0, 5), "the offer came after the step");
  assert.ok(levels.lacksOne(7, 8));
  assert.ok(!levels.lacksOne(8, 8));
  offered.onStored(next);
  assert.ok(!levels.lacksOne(0, 8));
  assert.ok(!steppedTo8(() => false).levels.lacksOne(0, 8));
});
