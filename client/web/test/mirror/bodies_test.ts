import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toHex } from "../../src/core/bytes.js";
import { ReceivedBodies } from "../../src/mirror/bodies.js";

const part = (number: number, offset: number, hex: string, size = 10) =>
  ({ kind: "deltaBody", number, offset, size, bytes: fromHex(hex) }) as const;

test("ReceivedBodies.JoinsThePartsOfThePagesExample", () => {
  const bodies = new ReceivedBodies();
  bodies.add(part(1, 0, "218b002000"));
  assert.equal(bodies.find(1), null);
  assert.throws(() => bodies.add(part(1, 6, "218b")), { reason: "malformed delta" });
  bodies.add(part(1, 5, "0000c06800"));
  assert.equal(toHex(bodies.find(1)!), "218b0020000000c06800");
});

test("ReceivedBodies.KeepsEightAndRefusesFormerNumbers", () => {
  const bodies = new ReceivedBodies();
  for (let number = 1; number <= 9; ++number) bodies.add(part(number, 0, "aa", 1));
  assert.equal(bodies.find(1), null);
  assert.notEqual(bodies.find(2), null);
  assert.throws(() => bodies.add(part(9, 0, "aa", 1)), { reason: "malformed delta" });
});
