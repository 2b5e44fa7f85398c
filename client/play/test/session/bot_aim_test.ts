// Directions of bots: the server accepts them, and a throw goes above the straight one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Vector, raised, straightTo } from "../../src/session/bot_aim.js";

const own = { x: 3, y: 0, z: -2 };
/** Length of a direction as the server reads it, in 32 bits. */
const length = ({ x, y, z }: Vector): number => Math.hypot(Math.fround(x), Math.fround(y), Math.fround(z));

test("BotAim.NoDirectionIsLongerThanOne", () => {
  for (const distance of [0.4, 1, 3, 12, 60])
    for (let angle = 0; angle < 6.3; angle += 0.1)
      for (const y of [-3, 0, 2, 20]) {
        const target = { x: own.x + distance * Math.cos(angle), y, z: own.z + distance * Math.sin(angle) };
        const aim = straightTo(own, target);
        if (aim === null) continue;
        for (const each of [aim, raised(aim)]) assert.ok(length(each) <= 1 && length(each) > 0.99, JSON.stringify(each));
      }
});

test("BotAim.AThrowGoesAboveTheStraightDirection", () => {
  const aim = straightTo(own, { x: 3, y: 0, z: 8 })!;
  assert.ok(aim.z > 0.9 && aim.y < 0);
  assert.ok(raised(aim).y > 0.1);
});

test("BotAim.APlaceTooNearGivesNoDirection", () => {
  assert.equal(straightTo(own, { x: 3.1, y: 0.6, z: -2 }), null);
});
