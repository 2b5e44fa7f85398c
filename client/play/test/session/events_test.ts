// Events of the demo as bytes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Message, encode, required, table, union } from "@mobula/client/messages";
import { ChatMessage } from "../../../web/demo/demo_events.js";
import { readEvent } from "../../src/session/events.js";

const value = { by: { index: 5, generation: 2 }, name: "Ada", text: "<i>hi</i>" };
const good = encode(ChatMessage, value);

/** Events of a server that has one more kind. */
const Newer: Message<{ body: { kind: "Sung"; value: ChatMessage } }> = table("Event", () => ({
  body: required(union(1, () => ({ Sung: [6, ChatMessage] }))),
}));

test("Events.AnEventIsRead", () => assert.deepEqual(readEvent(good), { kind: "ChatMessage", value }));

test("Events.MalformedAndUnknownEventsAreNone", () => {
  assert.equal(readEvent(new Uint8Array()), null);
  assert.equal(readEvent(encode(Newer, { body: { kind: "Sung", value } })), null);
  for (let size = 0; size < good.length; ++size) assert.doesNotThrow(() => readEvent(good.subarray(0, size)));
  for (let at = 0; at < good.length; ++at)
    assert.doesNotThrow(() => readEvent(good.map((byte, i) => (i === at ? byte ^ 255 : byte))));
});
