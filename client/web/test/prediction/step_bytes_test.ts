// Components as bytes: a step that copies all rows out, computes with them and writes them back does what a step with rows
// does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OfferedLevels } from "../../src/connection/offered_levels.js";
import { ClientWorld } from "../../src/prediction/client_world.js";
import { EffectTable } from "../../src/prediction/effect_table.js";
import { StepLevels } from "../../src/prediction/step_levels.js";
import { SetOf, bodyAt, entityOf } from "../support/set_of.js";

function worldOf(of: SetOf): ClientWorld {
  const levels = new StepLevels(new OfferedLevels(), 8);
  const world = new ClientWorld(of.written.mirror, of.set, new EffectTable(), levels, 20, 5, 6);
  world.begin(3, 1);
  return world;
}

test("StepBytes.HaveWhatTheRowsHave", () => {
  const of = new SetOf();
  of.show(bodyAt(9, 9), bodyAt(2, 2), bodyAt(4, 4), bodyAt(7, 7, 5));
  of.rebuild(2, 9);
  const world = worldOf(of);
  const local = world.spawn({ player: 3, entity: 0n, number: 1, bytes: new Uint8Array(0) }, { Body: {} });
  world.destroy(entityOf(9));
  const x = (bytes: Uint8Array, at: number): number =>
    new DataView(bytes.buffer, bytes.byteOffset + at).getFloat32(0, true);
  const seen: [string, number, number, number][] = [];
  world.bytes.eachSteppedRow(
    "Body",
    (index, generation, bytes, at) => void seen.push(["own", index, generation, x(bytes, at)]),
  );
  world.bytes.eachVisibleRow(
    "Body",
    (index, generation, bytes, at) => void seen.push(["seen", index, generation, x(bytes, at)]),
  );
  assert.deepEqual(seen, [
    ["own", 2, 1, 2],
    ["own", 65_536, 1, 0],
    ["seen", 4, 1, 4],
    ["seen", 7, 5, 7],
  ]);
  const stepped: bigint[] = [];
  world.bytes.eachStepped((index, generation) => void stepped.push(entityOf(index, generation)));
  assert.deepEqual(stepped, [entityOf(2), local]);
  assert.equal(world.bytes.nextSpawned, entityOf(65_537));
  assert.deepEqual([world.bytes.seedLow, world.bytes.seedHigh], [5, 6]);
  assert.equal(world.bytes.statics, world.bytes.statics);
  assert.throws(() => world.bytes.eachSteppedRow("Health", () => {}), /reads Health/);
});

test("StepBytes.WrittenRowsAreRounded", () => {
  const of = new SetOf();
  of.show(bodyAt(2, 2), bodyAt(4, 4));
  of.rebuild(2);
  const { bytes } = worldOf(of);
  const row = new Uint8Array(30);
  new DataView(row.buffer).setFloat32(6, 0.0013, true);
  bytes.writeRow(entityOf(2), "Body", row, 6);
  bytes.writeRow(entityOf(4), "Body", row, 6); // not stepped
  assert.equal(of.x(entityOf(2)), Math.fround(0.0013));
  of.set.readable.get("Body")!.clean(of.set.count);
  assert.equal(of.x(entityOf(2)), Math.fround(0.002));
});

test("StepBytes.TheVersionOfVisibleEntitiesFollowsMirrorAndMembers", () => {
  const of = new SetOf();
  of.show(bodyAt(2, 2), bodyAt(4, 4));
  of.rebuild(2);
  const world = worldOf(of);
  const first = world.bytes.visibleVersion;
  world.begin(4, 1);
  assert.equal(world.bytes.visibleVersion, first, "another step of the update");
  of.rebuild(2, 4);
  const second = world.bytes.visibleVersion;
  assert.notEqual(second, first, "other members");
  world.begin(5, 2);
  assert.notEqual(world.bytes.visibleVersion, second, "another update");
});

test("StepBytes.HaveTheKeysOfSpawnedEntities", () => {
  const of = new SetOf();
  const world = worldOf(of);
  const entity = world.spawn({ player: 3, entity: 0n, number: 8, bytes: new Uint8Array(0) }, { Body: {} });
  const keys: number[] = [];
  world.bytes.eachSteppedRow("SpawnKey", (index, _generation, bytes, at) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at);
    keys.push(index, view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true));
  });
  assert.deepEqual(keys, [Number(entity & 0xffff_ffffn), 3, 3, 8]);
  assert.equal(world.bytes.spawnedEnd, 65_536 + 65_536);
});
