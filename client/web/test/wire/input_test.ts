import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toHex, u32 } from "../../src/core/bytes.js";
import { encodeInput, type Input, type InputCommand } from "../../src/wire/input.js";
import { pageBytes } from "../support/page.js";

const command = (tick: number, lag: number, hex: string, arrivals: number[] | null): InputCommand => ({
  tick,
  lag,
  bytes: fromHex(hex),
  arrivals,
});

function inputOf(ages: number[], commands: InputCommand[], newest = 3): Input {
  const received = new Uint8Array(256);
  for (const age of ages) received[age] = 1;
  return { ack: 7, newest, words: 1, received, firstCommand: 12, commands };
}

test("Input.EncodesTheExampleOfThePage", () => {
  const input = inputOf([0, 2], [command(100, 1152, "aaaa", [3]), command(101, 1088, "bb", [])]);
  assert.equal(toHex(encodeInput(input)), toHex(pageBytes("07000000 03000000")));
});

test("Input.WithoutCommandsIsItsAcknowledgements", () =>
  assert.equal(toHex(encodeInput(inputOf([0, 2], []))), "07000000030000000100" + "0000" + "0500000000000000"));

test("Input.SendsOnlyCommandsThatFit", () => {
  const large = Array.from({ length: 32 }, (_, i) => command(100 + i, 256, "ab".repeat(512), []));
  const encoded = encodeInput(inputOf([0], large));
  assert.ok(encoded.length <= 1190);
  assert.equal(encoded[9], 2);
  assert.equal(u32(encoded, 20), 12);
});

test("Input.NamesNoArrivalThatItDoesNotAcknowledge", () => {
  const known = encodeInput(inputOf([0, 1], [command(100, 0, "aa", [2])]));
  const unknown = encodeInput(inputOf([0], [command(100, 0, "aa", [2])]));
  const without = encodeInput(inputOf([0], [command(100, 0, "aa", null)]));
  assert.equal(toHex(unknown), toHex(without));
  assert.notEqual(toHex(known), toHex(inputOf([0, 1], []).received));
});
