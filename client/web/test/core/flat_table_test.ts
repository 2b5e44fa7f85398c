import assert from "node:assert/strict";
import { test } from "node:test";
import { FlatTable } from "../../src/core/flat_table.js";
import * as flat from "../../src/core/flat_writer.js";
import { repeated, vectorOf } from "../support/flat_vectors.js";

const refusal = { reason: "malformed message" };

test("FlatTable.ReadsListsOfTextsAndTables", () => {
  const table = FlatTable.root(
    flat.flatMessage([
      vectorOf([flat.text("one"), flat.text("two")]),
      vectorOf([flat.table([flat.u8(7)]), flat.table([flat.u8(8)])]),
    ]),
  );
  assert.deepEqual(table.texts(0, 2, 3), ["one", "two"]);
  assert.deepEqual(
    table.tables(1, 2).map((each) => each.u8(0)),
    [7, 8],
  );
});

test("FlatTable.RefusesATextThatIsUsedTooOften", () => {
  const bytes = flat.flatMessage([repeated(flat.text("x".repeat(256)), 4096)]);
  assert.throws(() => FlatTable.root(bytes).texts(0, 4096, 256), refusal);
});

test("FlatTable.RefusesATableThatIsUsedTooOften", () => {
  const bytes = flat.flatMessage([repeated(flat.table([flat.u8(7)]), 4096)]);
  assert.throws(() => FlatTable.root(bytes).tables(0, 4096), refusal);
});

test("FlatTable.RefusesABlobThatIsReadTooOften", () => {
  const table = FlatTable.root(flat.flatMessage([flat.blob(new Uint8Array(4096))]));
  assert.equal(table.blob(0).length, 4096);
  assert.equal(table.blob(0).length, 4096);
  assert.throws(() => table.blob(0), refusal);
});

test("FlatTable.RefusesALongTextBeforeItIsDecoded", () => {
  const notUtf8 = flat.blob(new Uint8Array(300).fill(255));
  const table = FlatTable.root(flat.flatMessage([notUtf8, vectorOf([notUtf8])]));
  assert.throws(() => table.text(0, 256), { ...refusal, message: "a list of more than 256" });
  assert.throws(() => table.texts(1, 1, 256), { ...refusal, message: "a list of more than 256" });
  assert.throws(() => table.text(0, 300), { ...refusal, message: "a text is not UTF-8" });
});
