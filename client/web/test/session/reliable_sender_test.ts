import assert from "node:assert/strict";
import { test } from "node:test";
import { concat, putU32, toHex } from "../../src/core/bytes.js";
import { ReliableSender } from "../../src/session/reliable_sender.js";
import { newSeed, randomOf } from "../support/random.js";

const mib = 1024 * 1024;

test("ReliableSender.RefusesWhatExceedsItsQueue", () => {
  const sender = new ReliableSender();
  assert.throws(() => sender.send(new Uint8Array(4 * mib + 1)), { reason: "too large" });
  sender.send(new Uint8Array(4 * mib));
  // Chunks in flight count too.
  const chunks: number[] = [];
  for (let chunk = sender.next(1180); chunk >= 0; chunk = sender.next(1180)) chunks.push(chunk);
  assert.equal(chunks.length, 256);
  sender.send(new Uint8Array(4 * mib - 8));
  assert.throws(() => sender.send(new Uint8Array(0)), { reason: "queue full" });
  for (const chunk of chunks) sender.onAcked(chunk);
  sender.send(new Uint8Array(0));
});

test("ReliableSender.CutsTheStreamThatAModelHas", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  const sender = new ReliableSender();
  let stream: Uint8Array = new Uint8Array(0);
  const sent: Uint8Array[] = [];
  for (let round = 0; round < 400; ++round) {
    const message = Uint8Array.from({ length: Math.floor(random() * 3000) }, () => random() * 256);
    const size = new Uint8Array(4);
    putU32(size, 0, message.length);
    stream = concat(stream, size, message);
    sender.send(message);
    const chunks: number[] = [];
    const room = 200 + Math.floor(random() * 1000);
    for (let chunk = sender.next(room); chunk >= 0; chunk = sender.next(room)) {
      sent.push(sender.bytesOf(chunk).slice());
      chunks.push(chunk);
    }
    for (const chunk of chunks) sender.onAcked(chunk);
  }
  const all = concat(...sent);
  assert.equal(toHex(all), toHex(stream.subarray(0, all.length)), `seed ${seed}`);
  assert.ok(stream.length - all.length <= 3004, `seed ${seed}`);
});
