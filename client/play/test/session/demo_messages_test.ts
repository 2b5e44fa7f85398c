// Commands and events of the demo as bytes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FlatTable } from "../../../web/src/core/flat_table.js";
import * as flat from "../../../web/src/core/flat_writer.js";
import { chatCommand, readEvent, tagCommand, throwCommand } from "../../src/session/demo_messages.js";

const handle = (index: number, generation: number): flat.Field => {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setUint32(0, index, true);
  bytes.setUint32(4, generation, true);
  return flat.struct(new Uint8Array(bytes.buffer));
};
const event = (kind: number, fields: flat.Field[]): Uint8Array => flat.flatMessage([flat.u8(kind), flat.table(fields)]);

test("DemoMessages.CommandsHaveTheirKindAndTheirFields", () => {
  for (const [bytes, kind] of [[throwCommand({ x: 0.5, y: 0.25, z: -0.5 }), 3], [tagCommand({ x: 0.5, y: 0.25, z: -0.5 }), 4]] as const) {
    const root = FlatTable.root(bytes);
    assert.equal(root.u8(0), kind);
    const body = root.table(1)!;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const floats = [0, 1, 2].map((field) => view.getFloat32(body.struct(field, 4), true));
    assert.deepEqual(floats, [0.5, 0.25, -0.5]);
  }
  assert.equal(FlatTable.root(chatCommand("Grüße")).table(1)!.text(0, 120), "Grüße");
});

test("DemoMessages.ReadsEachEvent", () => {
  const by = (2n << 32n) | 5n;
  assert.deepEqual(readEvent(event(1, [handle(5, 2), flat.u8(2), flat.u16(25)])), { kind: "pickup", by, what: 2, amount: 25 });
  assert.deepEqual(readEvent(event(2, [handle(5, 2)])), { kind: "thrown", by });
  assert.deepEqual(readEvent(event(4, [handle(5, 2), handle(5, 2)])), { kind: "tagged", by, avatar: by });
  const message = event(5, [handle(5, 2), flat.text("Ada"), flat.text("<i>hi</i>")]);
  assert.deepEqual(readEvent(message), { kind: "chat", by, name: "Ada", text: "<i>hi</i>" });
});

test("DemoMessages.MalformedAndUnknownEventsAreNone", () => {
  assert.equal(readEvent(new Uint8Array()), null);
  assert.equal(readEvent(event(99, [handle(5, 2)])), null);
  const good = event(5, [handle(5, 2), flat.text("Ada"), flat.text("hello")]);
  for (let size = 0; size < good.length; ++size) assert.doesNotThrow(() => readEvent(good.subarray(0, size)));
  for (let at = 0; at < good.length; ++at)
    assert.doesNotThrow(() => readEvent(good.map((byte, i) => (i === at ? byte ^ 255 : byte))));
});
