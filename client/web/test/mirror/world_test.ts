// Memory that a server can make a client use, by announced prototypes and by entities whose indices are far apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fnv1a32 } from "../../src/core/fnv.js";
import { World } from "../../src/mirror/world.js";
import { loadSchema } from "../../src/reflect/schema.js";
import type { ComponentRef } from "../../src/wire/messages.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

const entitiesMax = 1 << 22;
const mebi = 1 << 20;

/** A world with one type of component, whose rows have 1,024 words and whose values take 4 KiB. */
function worldOfParts(): World {
  const items = { name: "items", base: type.uint, offset: 0, length: 1024 };
  return new World(loadSchema(schemaOfPart({ size: 4096, fields: [items] })), entitiesMax);
}

const part = (instance: string): ComponentRef => ({ type: fnv1a32("Part"), instance: fnv1a32(instance) });

/** Announces instances of the component. Returns their prototypes. */
function announce(world: World, count: number) {
  return Array.from({ length: count }, (_, i) => {
    world.addName(`Part${i}`);
    return world.intern([part(`Part${i}`)]);
  });
}

/** Returns the bytes of typed arrays that a call allocates. */
function allocated(make: () => unknown): number {
  const before = process.memoryUsage().arrayBuffers;
  make();
  return process.memoryUsage().arrayBuffers - before;
}

test("World.RefusesMoreThan4096Pools", () => {
  const world = worldOfParts();
  announce(world, 4096);
  world.addName("OneMore");
  assert.throws(() => world.intern([part("OneMore")]), { reason: "too many pools" });
});

test("World.FindsAPoolThatWasMissingBefore", () => {
  const world = worldOfParts();
  const names = ["Part1", "Part/Part1"];
  for (const name of names) assert.equal(world.findPool(name), null);
  const [, { pools }] = announce(world, 2) as [unknown, { pools: readonly unknown[] }];
  for (const name of names) assert.equal(world.findPool(name), pools[0]);
});

test("World.AnAnnouncedPrototypeTakesNoMemoryForValues", () => {
  const world = worldOfParts();
  const bytes = allocated(() => announce(world, 4000));
  assert.ok(bytes < 8 * mebi, `${bytes} bytes`);
  assert.equal(world.findPool("Part7")!.columns[0]!.values.length, 0);
});

test("World.AnEntityWithAGreatIndexTakesMemoryOnce", () => {
  const world = worldOfParts();
  const prototypes = announce(world, 256);
  const bytes = allocated(() => {
    world.create(entitiesMax - 1, 1);
    for (const prototype of prototypes) prototype.pools[0]!.add(entitiesMax - 1);
  });
  assert.ok(bytes < 64 * mebi, `${bytes} bytes`);
});

test("World.LayoutsAreForgottenIfTheyAreTooLarge", () => {
  const world = worldOfParts();
  const prototypes = announce(world, 1100);
  const layouts = prototypes.map(({ layout }) => layout);
  assert.equal(prototypes.at(-1)!.layout, layouts.at(-1));
  assert.notEqual(prototypes[0]!.layout, layouts[0]);
  assert.deepEqual(prototypes[0]!.layout, layouts[0]);
});

test("World.ForgetsPrototypesThatAreNotInUse", () => {
  const world = worldOfParts();
  const [one, two] = announce(world, 2);
  assert.equal(world.isCrowded, false);
  announce(world, 1500);
  assert.equal(world.isCrowded, true);
  world.forgetOthers(new Set([world.empty, one!]));
  assert.equal(world.isCrowded, false);
  assert.equal(world.intern([part("Part0")]), one);
  assert.notEqual(world.intern([part("Part1")]), two);
  assert.equal(world.intern([]), world.empty);
});
