import assert from "node:assert/strict";
import { test } from "node:test";
import { OfferedLevels } from "../../src/connection/offered_levels.js";
import { type LevelFile, readLevelFile } from "../../src/resource/level_file.js";
import type { ResourceInfo } from "../../src/wire/messages.js";
import { smallLevel } from "../support/level_builder.js";

const [a, b, c] = ["A", "B", "C"].map((name) => readLevelFile(smallLevel(name))) as [LevelFile, LevelFile, LevelFile];
const offer = (level: LevelFile, firstTick: number): ResourceInfo[] => [
  { identity: level.identity, size: level.bytes.length, firstTick },
];
const namesAt = (levels: OfferedLevels, ...ticks: number[]): (string | undefined)[] =>
  ticks.map((tick) => levels.at(tick)?.names[0]);

test("OfferedLevels.EachTickReadsTheLevelOfTheServer", () => {
  const levels = new OfferedLevels();
  levels.add(offer(a, 0));
  levels.add(offer(b, 31));
  levels.onStored(a);
  levels.onStored(b);
  assert.deepEqual(namesAt(levels, 0, 30, 31, 90), ["A", "A", "B", "B"]);
  assert.ok(levels.isHere(30) && levels.isHere(31));
});

test("OfferedLevels.TheFormerOneIsReadUntilTheNextIsHere", () => {
  const levels = new OfferedLevels();
  levels.add(offer(a, 0));
  levels.onStored(a);
  levels.add(offer(b, 31));
  levels.add(offer(c, 40));
  assert.deepEqual(namesAt(levels, 30, 31, 50), ["A", "A", "A"]);
  assert.deepEqual([30, 31, 50].map((tick) => levels.isHere(tick)), [true, false, false]);
  levels.onStored(c);
  assert.deepEqual(namesAt(levels, 30, 31, 50), ["A", "A", "C"]);
});

test("OfferedLevels.AWorldWithoutALevelLacksNone", () => {
  const levels = new OfferedLevels();
  assert.ok(levels.isHere(5) && levels.at(5) === null);
  levels.add([]);
  assert.ok(levels.isHere(5) && levels.at(5) === null);
  levels.add(offer(a, 3));
  assert.ok(!levels.isHere(5) && levels.at(5) === null);
});

test("OfferedLevels.AnOfferReplacesThoseOfItsTickAndLaterOnes", () => {
  const levels = new OfferedLevels();
  for (const [level, tick] of [[a, 0], [b, 31], [c, 40]] as const) {
    levels.add(offer(level, tick));
    levels.onStored(level);
  }
  levels.add(offer(a, 31));
  assert.deepEqual(namesAt(levels, 30, 31, 50), ["A", "A", "A"]);
  assert.ok(levels.isHere(31), "it is known from its first offer");
  assert.equal(levels.offers.length, 2);
});

test("OfferedLevels.KeepsTheLastFour", () => {
  const levels = new OfferedLevels();
  for (let tick = 1; tick <= 9; ++tick) levels.add(offer(tick % 2 === 0 ? a : b, tick));
  levels.onStored(a);
  levels.onStored(b);
  assert.deepEqual(levels.offers.map(({ firstTick }) => firstTick), [6, 7, 8, 9]);
  assert.deepEqual(namesAt(levels, 1, 6, 9), ["A", "A", "B"]);
  levels.clear();
  assert.equal(levels.at(9), null);
});
