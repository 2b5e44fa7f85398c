import assert from "node:assert/strict";
import { test } from "node:test";
import { fnv1a32 } from "../../src/core/fnv.js";
import { Mirror } from "../../src/mirror/mirror.js";
import { loadSchema } from "../../src/reflect/schema.js";
import { flag, readDeltaHeader } from "../../src/wire/delta_header.js";
import { pageBody, pageDeltas } from "../support/page_deltas.js";
import { enumOf, schemaOf, structOf, type } from "../support/schema_builder.js";

// The component of the page: an enum of four values.
const part = {
  name: "Part",
  size: 1,
  alignment: 1,
  attributes: { component: "" },
  fields: [{ name: "colour", base: type.ubyte, offset: 0, struct: 0 }],
};
const schema = loadSchema(schemaOf([structOf(part)], [enumOf("Colour", ["none", "red", "green", "blue"])]));

function pageMirror(): Mirror {
  const mirror = new Mirror(schema, 1000);
  const ref = { type: fnv1a32("Part"), instance: fnv1a32("Part") };
  mirror.addPrototypes([{ id: 1, hashLow: 0, hashHigh: 0, components: [ref] }]);
  return mirror;
}

/** Applies a delta and acknowledges it. Returns tick, generation of entity 0, and its value; null without it. */
function apply(mirror: Mirror, delta: Uint8Array, ack: number): [number, number, unknown] {
  const header = readDeltaHeader(delta, { sequence: ack - 1, tick: mirror.tick, ack: ack - 1, longSequence: 0 });
  assert.equal(header.sequence, ack);
  assert.equal((header.flags & flag.complete) !== 0, header.body === 0);
  mirror.apply(header, delta);
  mirror.acknowledged(ack);
  const pool = mirror.world.findPool("Part")!;
  const place = pool.find(0);
  return [mirror.tick, mirror.world.generationAt(0), place < 0 ? null : pool.columns[0]!.values[place]];
}

test("Mirror.AppliesTheDeltasOfThePage", () => {
  const mirror = pageMirror();
  const shown = pageDeltas().map((delta, i) => apply(mirror, delta, i + 1));
  assert.deepEqual(shown, [
    [1, 1, 2],
    [2, 1, 1],
    [6, 0, null],
  ]);
  assert.deepEqual([mirror.size, mirror.hash.low, mirror.hash.high], [0, 0, 0]);
});

test("Mirror.AppliesTheDeltaOfThePageWhoseBodyWasSent", () => {
  const { parts, announced } = pageBody();
  const mirror = pageMirror();
  assert.throws(() => apply(mirror, announced, 1), { reason: "too late" });
  mirror.addBody(parts[0]!);
  assert.throws(() => apply(mirror, announced, 1), { reason: "too late" });
  mirror.addBody(parts[2]!);
  assert.deepEqual(apply(mirror, announced, 1), [1, 1, 2]);
});
