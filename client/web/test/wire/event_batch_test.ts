import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toHex } from "../../src/core/bytes.js";
import { Refusal } from "../../src/core/refusal.js";
import { decodeEventBatch } from "../../src/wire/event_batch.js";
import { pageBytes } from "../support/page.js";

const example = pageBytes("01 64000000");

test("EventBatch.DecodesTheExampleOfThePage", () => {
  const events = decodeEventBatch(example);
  assert.deepEqual(
    events.map((event) => ({ ...event, bytes: toHex(event.bytes) })),
    [
      { tick: 100, sequence: 0, index: 0, generation: 0, bytes: "aaaa" },
      { tick: 100, sequence: 2, index: 5, generation: 1048577, bytes: "bb" },
    ],
  );
});

test("EventBatch.RefusesEachCutWithinAnEvent", () => {
  for (let size = 0; size < example.length; ++size)
    if (size !== 11) assert.throws(() => decodeEventBatch(example.subarray(0, size)), Refusal, `${size} bytes`);
});

test("EventBatch.RefusesWrongOrderAndGenerationZero", () => {
  assert.throws(() => decodeEventBatch(fromHex("0164000000" + "02000000" + "02000000")), {
    reason: "malformed events",
  });
  assert.throws(() => decodeEventBatch(fromHex("0164000000" + "02000080" + "0500000000000000")), {
    reason: "malformed events",
  });
});
