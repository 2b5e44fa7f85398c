// Aiming: stones land where they are aimed at, and tags go straight to the body.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PerspectiveCamera, Vector3 } from "three";
import { aimHeight, aimOf, arc, straight, wayTo } from "../../src/input/aim.js";

const origin = new Vector3(3, 0, -2);

/** Returns the height at which a stone passes a distance, by small steps. */
function heightAt(direction: Vector3, distance: number): number {
  const velocity = direction.clone().normalize().multiplyScalar(15);
  const at = new Vector3(0, aimHeight, 0);
  for (let time = 0; Math.hypot(at.x, at.z) < distance && time < 5; time += 1e-4) {
    velocity.y -= 9.81e-4;
    at.addScaledVector(velocity, 1e-4);
  }
  return at.y;
}

test("Aim.AStoneLandsWhereItIsAimedAt", () => {
  for (const distance of [1, 4, 9, 15, 20])
    for (const angle of [0, 1, 2.5, 4]) {
      const at = new Vector3(origin.x + distance * Math.cos(angle), 0.9, origin.z + distance * Math.sin(angle));
      const direction = arc(origin, at);
      assert.ok(direction.length() <= 1);
      const height = heightAt(direction, distance);
      assert.ok(Math.abs(height - 0.9) < 0.03, `at ${distance} m it is ${height} m high`);
    }
});

test("Aim.AStoneToAPlaceTooFarFliesAt45Degrees", () => {
  const direction = arc(origin, new Vector3(origin.x + 80, 0.9, origin.z));
  assert.ok(Math.abs(direction.y - direction.x) < 1e-6);
});

test("Aim.ATagGoesStraightFromTheAimingHeight", () => {
  const direction = straight(origin, new Vector3(origin.x, 0.9, origin.z + 6));
  assert.ok(direction.length() <= 1 && direction.length() > 0.99);
  assert.ok(Math.abs(direction.y / direction.z - (0.9 - aimHeight) / 6) < 1e-6);
  assert.ok(straight(origin, new Vector3(origin.x, aimHeight, origin.z)).length() > 0.99);
});

test("Aim.KeysAimAtTheNearestPlayerAhead", () => {
  const camera = new PerspectiveCamera();
  const places = [[0, 9], [1, 5], [0, -3], [30, 0], [4, 1]] as const;
  const targets = places.map(([x, z]) => ({ at: new Vector3(origin.x + x, 0, origin.z + z) }));
  const { target, at } = aimOf(camera, origin, new Vector3(0, 0, 1), null, targets);
  assert.equal(target, targets[1]);
  assert.equal(at.y, 0.9);
  const nobody = aimOf(camera, origin, new Vector3(-1, 0, 0), null, targets);
  assert.equal(nobody.target, null);
  assert.deepEqual(nobody.at.toArray(), [origin.x - 12, 0.9, origin.z]);
});

test("Aim.AHeldPointerLeadsToThePlaceThatItShows", () => {
  Object.assign(globalThis, { innerWidth: 800, innerHeight: 600 });
  const camera = new PerspectiveCamera(46, 800 / 600);
  camera.position.set(origin.x, 6, origin.z + 12);
  camera.lookAt(origin.x, 0.9, origin.z);
  camera.updateMatrixWorld();
  const near = (point: { x: number; y: number }, [x, z]: readonly [number, number]): void => {
    const way = wayTo(camera, origin, point);
    assert.ok(Math.hypot(way.x - x, way.z - z) < 0.01, JSON.stringify(way));
  };
  near({ x: 400, y: 300 }, [0, 0]); // the avatar itself
  near({ x: 700, y: 300 }, [1, 0]);
  near({ x: 100, y: 300 }, [-1, 0]);
  near({ x: 400, y: 550 }, [0, 1]);
  near({ x: 400, y: 150 }, [0, -1]);
  near({ x: 400, y: 0 }, [0, -1]); // the sky
});
