import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../../src/core/bytes.js";
import { ReplayWindow, openPacket, packetType, sealPacket } from "../../src/session/packet.js";

const protocolId = Uint8Array.of(0x4d, 0x4f, 0x42, 0x55, 0x4c, 0x41, 1, 0);
const key = Uint8Array.from({ length: 32 }, (_, i) => i);
const seal = (sequence: number): Uint8Array =>
  sealPacket(protocolId, key, packetType.payload, sequence, Uint8Array.of(1, 2, 3));

test("Packet.OpensWhatWasSealed", () => {
  const window = new ReplayWindow();
  for (const sequence of [0, 1, 255, 256, 70_000, 2 ** 40]) {
    const opened = openPacket(protocolId, key, seal(sequence), window);
    assert.equal(toHex(opened!.body), "010203", `${sequence}`);
    assert.equal(opened!.type, packetType.payload);
  }
});

test("Packet.RefusesEachChangedByte", () => {
  const packet = seal(300);
  for (let at = 0; at < packet.length; ++at) {
    const changed = packet.slice();
    changed[at]! ^= 1;
    assert.equal(openPacket(protocolId, key, changed, new ReplayWindow()), null, `byte ${at}`);
  }
});

test("Packet.CountsOnceWithinTheWindow", () => {
  const window = new ReplayWindow();
  assert.notEqual(openPacket(protocolId, key, seal(1000), window), null);
  assert.equal(openPacket(protocolId, key, seal(1000), window), null);
  assert.notEqual(openPacket(protocolId, key, seal(800), window), null);
  assert.equal(openPacket(protocolId, key, seal(744), window), null);
});
