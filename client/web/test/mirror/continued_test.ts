import assert from "node:assert/strict";
import { test } from "node:test";
import { changeKind } from "../../src/mirror/changes.js";
import { continueMirror } from "../../src/mirror/continued.js";
import type { Mirror } from "../../src/mirror/mirror.js";
import { loadSchema } from "../../src/reflect/schema.js";
import { putU32 } from "../../src/core/bytes.js";
import { schemaOfPart, type } from "../support/schema_builder.js";
import { type SentEntity, WrittenMirror } from "../support/written_mirror.js";

const schemaOf = (name: string) =>
  loadSchema(schemaOfPart({ size: 4, fields: [{ name, base: type.uint, offset: 0 }] }));

const part = (value: number): ReadonlyMap<string, Uint8Array> => {
  const bytes = new Uint8Array(4);
  putU32(bytes, 0, value);
  return new Map([["Part", bytes]]);
};
const nothing: ReadonlyMap<string, Uint8Array> = new Map();
const entity = (index: number, components = part(1), isOwner = false, generation = 1): SentEntity => ({
  index,
  generation,
  components,
  isOwner,
});

function mirrorOf(inView: SentEntity[], outOfView: readonly number[] = [], field = "x"): Mirror {
  const written = new WrittenMirror(schemaOf(field));
  const before = outOfView.map((index) => entity(index));
  written.write({ tick: 1, inView: [...inView, ...before], outOfView: new Set() });
  written.write({ tick: 2, inView, outOfView: new Set(outOfView) });
  return written.mirror;
}

function changesOf(mirror: Mirror): string[] {
  mirror.changes.handOut();
  const { list } = mirror.changes;
  const names = Object.keys(changeKind);
  return Array.from({ length: list.count }, (_, i) => `${names[list.kinds[i]!]} ${list.indices[i]}`);
}

test("ContinuedMirror.ListsWhatDiffers", () => {
  const former = mirrorOf(
    [entity(1), entity(2), entity(3), entity(4), entity(5), entity(6), entity(7, part(1), false, 1), entity(9)],
    [8],
  );
  const mirror = mirrorOf(
    [entity(1), entity(2, part(5)), entity(3, nothing), entity(4, part(1), true), entity(7, part(1), false, 2), entity(8)],
    [6],
  );
  assert.ok(continueMirror(mirror, former));
  assert.deepEqual(changesOf(mirror).sort(), [
    "changed 2",
    "composed 3",
    "composed 4",
    "destroyed 5",
    "destroyed 7",
    "destroyed 9",
    "lost 6",
    "spawned 7",
    "spawned 8",
  ]);
});

test("ContinuedMirror.ListsWhatTheFormerOneHasNotHandedOut", () => {
  const former = mirrorOf([entity(1), entity(2)]);
  const pool = former.world.findPool("Part")!;
  former.changes.addChanged(pool, pool.find(1), 1, 1);
  former.changes.add(changeKind.destroyed, 5, 1);
  const mirror = mirrorOf([entity(2), entity(1)]);
  assert.ok(continueMirror(mirror, former));
  assert.deepEqual(changesOf(mirror), ["changed 1", "destroyed 5"]);
  assert.equal(mirror.changes.list.pools[0], mirror.world.findPool("Part"));
});

test("ContinuedMirror.AnotherSchemaSpawnsAll", () => {
  const mirror = mirrorOf([entity(1)], [], "y");
  assert.ok(!continueMirror(mirror, mirrorOf([entity(1), entity(2)])));
  assert.deepEqual(changesOf(mirror), ["spawned 1"]);
});
