import assert from "node:assert/strict";
import { test } from "node:test";
import { ComponentRows } from "../../src/prediction/component_rows.js";
import { courtSchema } from "../support/court_rules.js";
import { loadSchema, type Component } from "../../src/reflect/schema.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

const courtComponent = (name: string): Component =>
  [...courtSchema().components.values()].find((each) => each.name === name)!;

const partOf = (fields: Parameters<typeof schemaOfPart>[0]): Component =>
  [...loadSchema(schemaOfPart(fields)).components.values()][0]!;

test("RowClass.FieldsAreThoseOfTheStruct", () => {
  const rows = new ComponentRows(courtComponent("Body"), true);
  rows.setDefault(3);
  const body = rows.row(3);
  body.position.y = 0.1;
  assert.equal(body.position.y, Math.fround(0.1), "floats are singles");
  assert.equal(rows.views.data.getFloat32(3 * 24 + 4, true), Math.fround(0.1));
  assert.equal(rows.row(3), body, "one object for each row");
  assert.equal(rows.row(2).position.y, 0);
});

test("RowClass.StructsAreSetFromObjectsAndRows", () => {
  const rows = new ComponentRows(courtComponent("Body"), true);
  const [one, other] = [rows.row(0), rows.row(1)];
  one.position = { x: 1, y: 2, z: 3 };
  other.position = one.position;
  other.velocity = { x: 4 };
  one.position.x = 9;
  assert.deepEqual({ ...other.position }, { x: 1, y: 2, z: 3 });
  assert.equal(other.velocity.x, 4);
  assert.equal(JSON.stringify(other.position), '{"x":1,"y":2,"z":3}');
});

test("RowClass.AMisspeltFieldIsAnError", () => {
  const body = new ComponentRows(courtComponent("Body"), true).row(0);
  assert.throws(() => (body.postion = 1), TypeError);
  assert.throws(() => (body.position = { X: 1 }), TypeError);
});

test("RowClass.WritesAreNotedAndOthersRefused", () => {
  const rows = new ComponentRows(courtComponent("Body"), true);
  rows.row(2).velocity.z = 1;
  assert.deepEqual([...rows.written.subarray(0, 4)], [0, 0, 1, 0]);
  const foreign = new ComponentRows(courtComponent("Body"), false);
  assert.throws(() => (foreign.row(0).velocity.z = 1), /the step writes Body, which it may only read here/);
});

test("RowClass.RowsStayTheSameWhileTheTableGrows", () => {
  const rows = new ComponentRows(courtComponent("Body"), true);
  const first = rows.row(0);
  first.position.x = 5;
  rows.reserve(1000);
  assert.equal(first.position.x, 5);
  first.position.x = 6;
  assert.equal(rows.views.f32[0], 6);
  rows.row(999).position.x = 7;
  assert.equal(rows.views.f32[(999 * 24) >> 2], 7);
});

test("RowClass.ArraysHaveElements", () => {
  const part = partOf({
    size: 12,
    fields: [
      { name: "count", base: type.ushort, offset: 0 },
      { name: "items", base: type.ushort, offset: 2, length: 4, attributes: { count: "count" } },
    ],
  });
  const row = new ComponentRows(part, true).row(1);
  row.items.set(3, 700);
  assert.equal(row.items.length, 4);
  assert.equal(row.items.at(3), 700);
  assert.throws(() => row.items.at(4), RangeError);
  assert.throws(() => row.items.set(-1, 0), RangeError);
});

test("RowClass.TextsEntitiesAndBitsAreValues", () => {
  const part = partOf({
    size: 16,
    fields: [
      { name: "text", base: type.ubyte, offset: 0, length: 6, attributes: { fixed_string: "" } },
      { name: "small", base: type.ubyte, offset: 6 },
      { name: "large", base: type.uint, offset: 8 },
    ],
  });
  const row = new ComponentRows(part, true).row(2);
  row.text = "ab";
  assert.equal(row.text, "ab");
  row.text = "longer than it";
  assert.equal(row.text, "longer");
  row.small = 257;
  assert.equal(row.small, 1);
  row.large = 2 ** 32 - 1;
  assert.equal(row.large, 2 ** 32 - 1);
});
