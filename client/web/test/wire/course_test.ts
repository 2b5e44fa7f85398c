import assert from "node:assert/strict";
import { test } from "node:test";
import { fnv1a32 } from "../../src/core/fnv.js";
import { columnLayouts, makeValues, writeColumn } from "../../src/mirror/values.js";
import { makeRowLayout } from "../../src/wire/row_layout.js";
import { pageBlock } from "../support/page.js";
import { vectorSchema } from "../support/page_vectors.js";

/** Returns a number as the hex digits of its float. */
function floatHex(value: number): string {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getUint32(0).toString(16).padStart(8, "0");
}

test("Course.HasTheValuesOfThePage", () => {
  const example = new Map(
    pageBlock("words  ")
      .split("\n")
      .map((line) => line.split(/\s{2,}/) as [string, string]),
  );
  const row = makeRowLayout(vectorSchema.components.get(fnv1a32("Ship"))!);
  const words = Uint32Array.from(example.get("words")!.split(" ").map(Number));
  const tick = Number(example.get("tick"));
  const shown = columnLayouts(row).flatMap((column) => {
    const values = makeValues(column.field, column.size);
    writeColumn(column, false, words, 0, tick, values, 0);
    return Array.from(values as Float32Array, floatHex);
  });
  assert.equal(shown.join(" "), example.get("values"));
});
