import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "../../src/mirror/world.js";
import { TrackedComponent } from "../../src/prediction/tracked_component.js";
import { writeRow } from "../../src/wire/row_layout.js";
import { courtSchema } from "../support/court_rules.js";
import { demoSchema, hasDemoSchema } from "../support/demo_schema.js";
import { newSeed, randomOf } from "../support/random.js";
import { WrittenMirror } from "../support/written_mirror.js";
import { type Schema, loadSchema } from "../../src/reflect/schema.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

/** Components whose fields are all predicted and sent. */
function predictedOf(schema: Schema): TrackedComponent[] {
  const world = new World(schema, 1000);
  return [...schema.components.values()]
    .filter(({ notSent, fields }) => !notSent && fields.every((field) => field.predicted))
    .map((component) => new TrackedComponent(world, component, true));
}

/** Returns the words that a server sends of a row. */
function wordsOf({ layout, component, rows }: TrackedComponent, slot: number): number[] {
  const words = new Uint32Array(layout.words);
  writeRow(layout, rows.views.bytes, slot * component.size, words, 0);
  return [...words];
}

for (const [name, isThere, schema] of [
  ["Court", true, courtSchema],
  ["Demo", hasDemoSchema, demoSchema],
] as const)
  test(`TrackedComponent.RoundsToWhatIsSent_${name}`, { skip: !isThere }, (t) => {
    const seed = newSeed();
    t.diagnostic(`seed ${seed}`);
    const random = randomOf(seed);
    for (const tracked of predictedOf(schema())) {
      const { rows, component } = tracked;
      for (let round = 0; round < 300; ++round) {
        rows.setDefault(0);
        for (const field of component.fields) {
          const view = rows.views.of(field.kind);
          const spread = 10 ** (4 * random());
          for (let i = 0; i < field.size / view.BYTES_PER_ELEMENT; ++i)
            (view as Float32Array)[field.offset / view.BYTES_PER_ELEMENT + i] = spread * (2 * random() - 1);
        }
        const words = wordsOf(tracked, 0);
        tracked.clean(1);
        assert.deepEqual(wordsOf(tracked, 0), words, `${component.name} has the same words`);
        const rounded = rows.views.bytes.slice(0, component.size);
        rows.written[0] = 1;
        tracked.clean(1);
        assert.deepEqual(rows.views.bytes.slice(0, component.size), rounded, "rounded values stay");
      }
    }
  });

test("TrackedComponent.ComparesWhatTheClientReceives", () => {
  const written = new WrittenMirror(courtSchema());
  const { world } = written.mirror;
  const component = [...world.schema.components.values()].find(({ name }) => name === "SpawnKey")!;
  const tracked = new TrackedComponent(world, component, false);
  assert.equal(tracked.mirrored(3), -1);
  const bytes = new Uint8Array(16).fill(9);
  const entity = { index: 3, generation: 1, components: new Map([["SpawnKey", bytes]]), isOwner: true };
  written.write({ tick: 1, inView: [entity], outOfView: new Set() });
  const place = tracked.mirrored(3);
  tracked.rows.setDefault(0);
  const own = tracked.rows.views.bytes;
  assert.ok(!tracked.isEqual(own, 0, place, true));
  assert.ok(tracked.isEqual(own, 0, place, false), "all its fields are the owner's");
  tracked.copyRow(place, true, own, 0);
  assert.ok(tracked.isEqual(own, 0, place, true));
  own[12] = 8;
  assert.ok(!tracked.isEqual(own, 0, place, true));
  own[12] = 9;
  own[13] = 1;
  assert.ok(tracked.isEqual(own, 0, place, true), "bytes between fields do not count");
});

test("TrackedComponent.TheMirrorDecidesAboutOtherFields", () => {
  const fields = ["mine", "theirs"].map((name, i) => {
    const attributes: Record<string, string> = i === 0 ? { predicted: "" } : {};
    return { name, base: type.uint, offset: 4 * i, attributes };
  });
  const written = new WrittenMirror(loadSchema(schemaOfPart({ size: 8, fields })));
  const { world } = written.mirror;
  const tracked = new TrackedComponent(world, [...world.schema.components.values()][0]!, true);
  const bytes = Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 0);
  const entity = { index: 3, generation: 1, components: new Map([["Part", bytes]]), isOwner: false };
  written.write({ tick: 1, inView: [entity], outOfView: new Set() });
  const place = tracked.mirrored(3);
  const row = tracked.rows.row(0);
  Object.assign(row, { mine: 1, theirs: 9 });
  assert.ok(tracked.isEqual(tracked.rows.views.bytes, 0, place, false));
  tracked.copyRow(place, false, tracked.rows.views.bytes, 0);
  assert.equal(row.theirs, 2);
  row.mine = 5;
  assert.ok(!tracked.isEqual(tracked.rows.views.bytes, 0, place, false));
});
