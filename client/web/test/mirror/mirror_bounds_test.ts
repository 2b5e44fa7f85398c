// Deltas and announcements by which a server would make a client keep too much.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BitWriter } from "../../src/core/bits.js";
import { concat } from "../../src/core/bytes.js";
import { fnv1a32 } from "../../src/core/fnv.js";
import { Mirror } from "../../src/mirror/mirror.js";
import { loadSchema } from "../../src/reflect/schema.js";
import { readDeltaHeader } from "../../src/wire/delta_header.js";
import { emptyDelta } from "../support/fake_server.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

const items = { name: "items", base: type.ubyte, offset: 0, length: 4096 };
const schema = loadSchema(schemaOfPart({ size: 4096, alignment: 1, fields: [items] }));
const typeOfPart = fnv1a32("Part");
const instances = ["A", "B", "C", "D"];

/** Returns components with names that the mirror knows, sorted as a server sends them. */
function parts(mirror: Mirror, names: readonly string[]) {
  for (const name of names) mirror.world.addName(name);
  const hashes = names.map(fnv1a32).sort((a, b) => a - b);
  return hashes.map((instance) => ({ type: typeOfPart, instance }));
}

function applyDelta(mirror: Mirror, tick: number, bits: BitWriter): void {
  const header = emptyDelta(tick, tick).subarray(0, 13);
  const bytes = concat(header, bits.view());
  mirror.apply(readDeltaHeader(bytes, { sequence: 0, tick: 0, ack: 0, longSequence: 0 }), bytes);
}

/** Writes full states of entities of a prototype, whose components have their defaults. */
function fullStates(count: number, prototype: number, components: number): BitWriter {
  const bits = new BitWriter();
  bits.golomb(0, 4); // moving
  bits.golomb(0, 2); // changed
  bits.golomb(count, 2);
  for (let id = 0; id < count; ++id) {
    bits.golomb(0, 3);
    bits.golomb(id, 12);
    bits.write(0, 1); // not of the level
    bits.write(1, 32);
    bits.write(0, 1); // another client's
    bits.golomb(prototype, 4);
    bits.write(0, components); // no unit differs
  }
  bits.golomb(0, 2); // lost
  return bits;
}

test("Mirror.RefusesADeltaThatWouldKeepTooMuchBeforeItIsApplied", () => {
  const mirror = new Mirror(schema, 1000);
  mirror.addPrototypes([{ id: 1, hashLow: 0, hashHigh: 0, components: parts(mirror, instances) }]);
  const count = 5;
  let tick = 1;
  for (; tick <= 500; ++tick) applyDelta(mirror, tick, fullStates(count, 0, 0));
  const before = process.memoryUsage().arrayBuffers;
  assert.throws(() => applyDelta(mirror, tick, fullStates(count, 1, 4)), { reason: "too much to keep" });
  assert.equal(mirror.tick, 500);
  assert.ok(process.memoryUsage().arrayBuffers - before < 16 << 20);
  applyDelta(mirror, tick, fullStates(1, 1, 4));
  assert.equal(mirror.tick, 501);
});

test("Mirror.ForgetsPrototypesThatAServerReplaces", () => {
  const mirror = new Mirror(schema, 1000);
  const names = Array.from({ length: 64 }, (_, i) => `Part${i}`);
  const [kept] = parts(mirror, names);
  const pairs = names.flatMap((one, i) => names.slice(i + 1).map((other) => parts(mirror, [one, other])));
  mirror.addPrototypes([{ id: 2, hashLow: 0, hashHigh: 0, components: [kept!] }]);
  applyDelta(mirror, 1, fullStates(1, 2, 1));
  const shown = mirror.world.prototypes[0];
  for (const components of pairs) mirror.addPrototypes([{ id: 1, hashLow: 0, hashHigh: 0, components }]);
  mirror.addPrototypes([{ id: 2, hashLow: 0, hashHigh: 0, components: pairs[0]! }]);
  for (const components of pairs) mirror.addPrototypes([{ id: 1, hashLow: 0, hashHigh: 0, components }]);
  const { interned } = mirror.world as unknown as { interned: Map<string, unknown> };
  assert.ok(interned.size <= 1025, `${interned.size} of ${pairs.length} prototypes`);
  assert.equal(mirror.world.intern([kept!]), shown, "an entity has it");
});
