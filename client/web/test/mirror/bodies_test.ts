import assert from "node:assert/strict";
import { test } from "node:test";
import { concat, toHex } from "../../src/core/bytes.js";
import { ReceivedBodies } from "../../src/mirror/bodies.js";
import { pageBody } from "../support/page_deltas.js";

test("ReceivedBodies.JoinsThePartsOfThePagesExample", () => {
  const [first, malformed, second] = pageBody().parts;
  const bodies = new ReceivedBodies();
  bodies.add(first!);
  assert.equal(bodies.find(1), null);
  assert.throws(() => bodies.add(malformed!), { reason: "malformed delta" });
  bodies.add(second!);
  assert.equal(toHex(bodies.find(1)!), toHex(concat(first!.bytes, second!.bytes)));
});

test("ReceivedBodies.KeepsEightAndRefusesFormerNumbers", () => {
  const part = (number: number) =>
    ({ kind: "deltaBody", number, offset: 0, size: 1, bytes: Uint8Array.of(170) }) as const;
  const bodies = new ReceivedBodies();
  for (let number = 1; number <= 9; ++number) bodies.add(part(number));
  assert.equal(bodies.find(1), null);
  assert.notEqual(bodies.find(2), null);
  assert.throws(() => bodies.add(part(9)), { reason: "malformed delta" });
});
