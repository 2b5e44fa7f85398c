// Walls before the camera, against a search by small steps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box3, Matrix4, Vector3 } from "three";
import { Walls } from "../../src/view/walls.js";

const margin = 0.45;

test("Walls.StopTheWayWhereASearchFindsThem", () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  let state = seed;
  const random = (low: number, high: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return low + ((high - low) * state) / 2 ** 32;
  };
  for (let round = 0; round < 200; ++round) {
    const box = new Box3(new Vector3(-random(1, 3), 0, -random(1, 3)), new Vector3(random(1, 3), random(2, 6), random(1, 3)));
    const place = new Matrix4().makeRotationY(random(0, 6.28)).setPosition(random(-5, 5), 0, random(-5, 5));
    const walls = new Walls<number>();
    walls.put(1, place, box);
    const wide = box.clone().expandByScalar(margin);
    const toLocal = place.clone().invert();
    const [eye, camera] = [new Vector3(random(-9, 9), 1.5, random(-9, 9)), new Vector3(random(-9, 9), random(1, 9), random(-9, 9))];
    const isIn = (part: number): boolean => wide.containsPoint(eye.clone().lerp(camera, part).applyMatrix4(toLocal));
    if (isIn(0)) continue;
    const free = walls.free(eye, camera);
    const what = `round ${round}, seed ${seed}`;
    for (let part = 0; part < free - 1e-6; part += 0.001) assert.ok(!isIn(part), what);
    wide.expandByScalar(1e-6);
    assert.ok(free === 1 || isIn(free), what);
    walls.remove(1);
    assert.equal(walls.free(eye, camera), 1);
  }
});
