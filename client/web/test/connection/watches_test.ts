// Callbacks that add callbacks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Watches } from "../../src/connection/watches.js";
import { fnv1a32 } from "../../src/core/fnv.js";
import { Mirror } from "../../src/mirror/mirror.js";
import { loadSchema } from "../../src/reflect/schema.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

const schema = loadSchema(schemaOfPart({ size: 4, fields: [{ name: "x", base: type.uint, offset: 0 }] }));

/** Returns a mirror with entities that have the component under two names. */
function mirrorOf(...indices: number[]): Mirror {
  const mirror = new Mirror(schema, 1000);
  mirror.world.addName("Other");
  const instances = ["Part", "Other"].map((name) => ({ type: fnv1a32("Part"), instance: fnv1a32(name) }));
  const prototype = mirror.world.intern(instances.sort((a, b) => a.instance - b.instance));
  for (const index of indices) {
    mirror.world.create(index, 1);
    mirror.world.recompose(index, prototype);
  }
  return mirror;
}

test("Watches.OneAddedInADespawnSeesEachEntityOnce", () => {
  const watches = new Watches();
  watches.begin(mirrorOf(1, 2));
  const seen: string[] = [];
  watches.add("despawn", "Part", (index) => {
    seen.push(`Part -${index}`);
    if (index === 1) watches.add("spawn", "Other", (other) => void seen.push(`Other +${other}`));
  });
  watches.add("spawn", "Part", (index) => void seen.push(`Part +${index}`));
  watches.begin(mirrorOf(3));
  watches.onEntity(3, 1); // as the mirror lists it
  assert.deepEqual(seen, ["Part +1", "Part +2", "Part -1", "Other +3", "Part -2", "Part +3"]);
});

test("Watches.ACallbackThatASpawnAddsSeesItsEntityOnce", () => {
  const watches = new Watches();
  const mirror = mirrorOf();
  watches.begin(mirror);
  const seen: number[] = [];
  watches.add("spawn", "Part", () => watches.add("spawn", "Part", (index) => void seen.push(index)));
  mirror.world.create(5, 1);
  mirror.world.recompose(5, mirror.world.intern([{ type: fnv1a32("Part"), instance: fnv1a32("Part") }]));
  watches.onEntity(5, 1);
  assert.deepEqual(seen, [5]);
});
