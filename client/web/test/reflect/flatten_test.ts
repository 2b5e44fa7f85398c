import assert from "node:assert/strict";
import { test } from "node:test";
import * as flat from "../../src/core/flat_writer.js";
import { findComponent, loadSchema } from "../../src/reflect/schema.js";
import { makeRowLayout } from "../../src/wire/row_layout.js";
import { repeated } from "../support/flat_vectors.js";
import {
  type FieldSource,
  type StructSource,
  schemaOf,
  schemaOfPart,
  structOf,
  type,
} from "../support/schema_builder.js";

const refusal = { reason: "bad schema" };

const counted = (counter: Partial<FieldSource>, array: Readonly<Record<string, string>>): Uint8Array =>
  schemaOfPart({
    size: 20,
    fields: [
      { name: "used", base: type.uint, offset: 0, ...counter },
      { name: "items", base: type.uint, offset: 4, length: 4, attributes: { count: "used", ...array } },
    ],
  });

test("Flatten.AnArrayIsCountedByAFieldOfTheSameReceivers", () => {
  const part = findComponent(loadSchema(counted({}, {})), "Part")!;
  assert.equal(makeRowLayout(part).units.at(-1)!.counter, 0);
  for (const flag of ["owner_only", "not_sent", "not_saved"]) {
    assert.throws(() => loadSchema(counted({ attributes: { [flag]: "" } }, {})), refusal, flag);
    assert.throws(() => loadSchema(counted({}, { [flag]: "" })), refusal, flag);
    loadSchema(counted({ attributes: { [flag]: "" } }, { [flag]: "" }));
  }
});

test("Flatten.RefusesACountOfAnotherRange", () => {
  assert.throws(() => loadSchema(counted({ attributes: { range: "0 9" } }, {})), refusal);
  loadSchema(counted({ attributes: { range: "0 4" } }, {}));
});

test("Flatten.StringIdsAreUints", () => {
  const part = (base: number): Uint8Array =>
    schemaOfPart({
      size: 4,
      fields: [{ name: "name", base, offset: 0, attributes: { string_id: "", default: "Sword" } }],
    });
  loadSchema(part(type.uint));
  assert.throws(() => loadSchema(part(type.ubyte)), refusal);
});

test("Flatten.FixedStringsAreArraysOfUbyte", () => {
  const part = (base: number, size: number): Uint8Array =>
    schemaOfPart({ size, fields: [{ name: "text", base, offset: 0, length: 8, attributes: { fixed_string: "" } }] });
  loadSchema(part(type.ubyte, 8));
  assert.throws(() => loadSchema(part(type.float, 32)), refusal);
});

test("Flatten.ADefaultInsideAnArrayIsThatOfEachElement", () => {
  const slot: StructSource = {
    name: "Slot",
    size: 8,
    fields: [
      { name: "item", base: type.uint, offset: 0, attributes: { default: "7" } },
      { name: "worth", base: type.float, offset: 4 },
    ],
  };
  const part = (attributes: Readonly<Record<string, string>>): Uint8Array =>
    schemaOfPart(
      { size: 24, fields: [{ name: "slots", base: type.struct, struct: 1, offset: 0, length: 3, attributes }] },
      slot,
    );
  const { defaults } = findComponent(loadSchema(part({})), "Part")!;
  assert.deepEqual([...new Uint32Array(defaults.slice().buffer)], [7, 0, 7, 0, 7, 0]);
  assert.throws(() => loadSchema(part({ default: "7 1.5" })), refusal);
});

test("Flatten.SmallestThreeAreTheOmittedNumberAndThreeCodes", () => {
  const number = (name: string, offset: number, attributes: Readonly<Record<string, string>>): FieldSource => ({
    name,
    base: type.ushort,
    offset,
    attributes,
  });
  const turn = (omitted: string, ...bits: number[]): Uint8Array => {
    const codes = bits.map((each, i) => number(`code${i}`, 2 + 2 * i, { bits: `${each}` }));
    const fields = [number("omitted", 0, { range: omitted }), ...codes];
    const inner = { name: "Turn", size: 2 + 2 * bits.length, alignment: 2, fields };
    const field = { name: "turn", base: type.struct, struct: 1, offset: 0, attributes: { smallest_three: "" } };
    return schemaOfPart({ size: inner.size, alignment: 2, fields: [field] }, inner);
  };
  loadSchema(turn("0 3", 9, 9, 9));
  loadSchema(turn("0 3", 2, 2, 2));
  const wrong = [turn("0 3", 9, 9), turn("0 4", 9, 9, 9), turn("1 4", 9, 9, 9), turn("0 3", 9, 9, 8), turn("0 3", 1, 1, 1)];
  for (const schema of wrong) assert.throws(() => loadSchema(schema), refusal);
  const one = number("one", 0, { range: "0 3", smallest_three: "" });
  assert.throws(() => loadSchema(schemaOfPart({ size: 2, alignment: 2, fields: [one] })), refusal);
});

test("Flatten.PredictedFieldsAreSent", () => {
  const part = (attributes: Readonly<Record<string, string>>, ofStruct: Readonly<Record<string, string>>): Uint8Array =>
    schemaOfPart({ size: 4, fields: [{ name: "x", base: type.uint, offset: 0, attributes }], attributes: ofStruct });
  loadSchema(part({ predicted: "" }, {}));
  assert.throws(() => loadSchema(part({ predicted: "", not_sent: "" }, {})), refusal);
  assert.throws(() => loadSchema(part({ predicted: "" }, { not_sent: "" })), refusal);
});

test("Flatten.RefusesStructsWithoutFields", () => {
  // Without a refusal, 256 fields at each of seven depths would be visited.
  const structs: StructSource[] = Array.from({ length: 7 }, (_, depth) => ({
    name: depth === 0 ? "Part" : `Inner${depth}`,
    size: 256,
    attributes: depth === 0 ? { component: "" } : {},
    fields: Array.from({ length: depth < 6 ? 256 : 0 }, (_, i) => ({
      name: `f${i}`,
      base: type.struct,
      struct: depth + 1,
      offset: 0,
    })),
  }));
  assert.throws(() => loadSchema(schemaOf(structs.map((struct) => structOf(struct)))), refusal);
});

test("Flatten.RefusesFieldsThatOverlapOrDoNotFit", () => {
  const part = (size: number, ...offsets: number[]): Uint8Array =>
    schemaOfPart({ size, fields: offsets.map((offset, i) => ({ name: `f${i}`, base: type.uint, offset })) });
  loadSchema(part(8, 0, 4));
  loadSchema(part(8, 4, 0));
  for (const offsets of [[0, 0], [0, 2], [2], [8], [0, 4, 4]])
    assert.throws(() => loadSchema(part(8, ...offsets)), refusal, offsets.join());
  assert.throws(() => loadSchema(part(6, 0)), refusal);
});

test("Flatten.RefusesAStructThatContainsItself", () => {
  const part = { size: 4, fields: [{ name: "self", base: type.struct, struct: 0, offset: 0 }] };
  assert.throws(() => loadSchema(schemaOfPart(part)), refusal);
});

test("Flatten.RefusesTwoFieldsOfOneName", () => {
  const fields = [0, 4].map((offset) => ({ name: "x", base: type.uint, offset }));
  assert.throws(() => loadSchema(schemaOfPart({ size: 8, fields })), refusal);
});

test("Declarations.RefuseAttributesThatAreUsedTooOften", () => {
  const attributes = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`a${i}`, "x".repeat(256)]));
  const struct = structOf({ name: "Inner", size: 4, fields: [{ name: "x", base: type.uint, offset: 0 }], attributes });
  assert.equal(loadSchema(schemaOf([struct])).components.size, 0);
  assert.throws(() => loadSchema(flat.flatMessage([repeated(struct, 1024)])), { reason: "malformed message" });
});

test("Declarations.RefuseLongAttributes", () => {
  const part = (value: string): Uint8Array =>
    schemaOfPart({ size: 4, fields: [{ name: "x", base: type.uint, offset: 0, attributes: { note: value } }] });
  loadSchema(part("x".repeat(256)));
  assert.throws(() => loadSchema(part("x".repeat(257))), { reason: "malformed message" });
});

test("Flatten.AToleranceIsAtMostTheWidthOfTheRange", () => {
  const part = (dead_reckoning: string, quantised: Readonly<Record<string, string>>): Uint8Array => {
    const attributes = { range: "-1 1", ...quantised, dead_reckoning };
    return schemaOfPart({ size: 4, fields: [{ name: "x", base: type.float, offset: 0, attributes }] });
  };
  for (const quantised of [{ step: "0.1" }, { bits: "9" }]) {
    loadSchema(part("2", quantised));
    for (const wide of ["2.1", "1e308"]) assert.throws(() => loadSchema(part(wide, quantised)), refusal);
  }
});

test("Flatten.AToleranceOfARotationIsAtMostThatOfItsParts", () => {
  const rotation = {
    name: "Rotation",
    size: 16,
    fields: ["x", "y", "z", "w"].map((name, i) => ({ name, base: type.float, offset: 4 * i })),
  };
  const part = (dead_reckoning: string): Uint8Array => {
    const attributes = { unit_quaternion: "", bits: "8", default: "0 0 0 1", dead_reckoning };
    const fields = [{ name: "turn", base: type.struct, struct: 1, offset: 0, attributes }];
    return schemaOfPart({ size: 16, fields }, rotation);
  };
  loadSchema(part("1.4"));
  assert.throws(() => loadSchema(part("5")), refusal);
});
