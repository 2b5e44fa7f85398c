import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex } from "../../src/core/bytes.js";
import { Refusal } from "../../src/core/refusal.js";
import { hex64 } from "../../src/core/xxh3.js";
import { flag, readDeltaHeader } from "../../src/wire/delta_header.js";
import { bytesOf, pageBlock } from "../support/page.js";
import { pageBody } from "../support/page_deltas.js";

type Example = Map<string, string>;

function examples(): Example[] {
  return pageBlock("header ")
    .split("\n\n")
    .map((text) => new Map(text.split("\n").map((line) => line.split(/\s{2,}/) as [string, string])));
}

const flagNames: Record<string, number> = {
  complete: flag.complete,
  hash: flag.hash,
  feedback: flag.feedback,
  long: flag.long,
  no_early: flag.noEarly,
  lost_continue: flag.lostContinue,
};

const numbers = (text: string | undefined): number[] =>
  (text ?? "")
    .split(" ")
    .filter((each) => each !== "")
    .map(Number);

const read = (example: Example, cut = 0): ReturnType<typeof readDeltaHeader> => {
  const [sequence, tick, ack] = numbers(example.get("reached")) as [number, number, number];
  const bytes = bytesOf(example.get("header")!);
  return readDeltaHeader(bytes.subarray(0, bytes.length - cut), { sequence, tick, ack, longSequence: 0 });
};

examples().forEach((example, i) => {
  test(`DeltaHeader.ReadsExample${i + 1}OfThePage`, () => {
    const header = read(example);
    assert.deepEqual([header.sequence, header.tick, header.ack], numbers(example.get("numbers")));
    assert.equal(
      header.flags,
      example
        .get("flags")!
        .split(" ")
        .reduce((all, name) => all | flagNames[name]!, 0),
    );
    const { done, held, margin, outcomes } = header.feedback ?? { done: 0, held: 0, margin: 0, outcomes: [] };
    assert.deepEqual(header.feedback === null ? [] : [done, held, margin], numbers(example.get("feedback")));
    const listed = outcomes.flatMap((late, age) => (late < 0 ? [] : [[done - age, late]]));
    const [number, late, other, otherLate] = numbers(example.get("outcomes"));
    assert.deepEqual(
      listed,
      [
        [number, late],
        [other, otherLate],
      ].filter(([each]) => each !== undefined),
    );
    assert.equal(header.size, bytesOf(example.get("header")!).length);
    if (example.has("hash")) assert.equal(hex64(header.hashLow, header.hashHigh), example.get("hash"));
  });
  test(`DeltaHeader.RefusesExample${i + 1}CutShort`, () => {
    const size = bytesOf(example.get("header")!).length;
    for (let cut = 1; cut <= size; ++cut) assert.throws(() => read(example, cut), Refusal);
  });
});

test("DeltaHeader.ThePageHasFourExamples", () => assert.equal(examples().length, 4));

test("DeltaHeader.NamesTheBodyOfThePage", () => {
  const bytes = pageBody().announced;
  const known = { sequence: 0, tick: 0, ack: 0, longSequence: 0 };
  const { flags, sequence, tick, ack, body, size } = readDeltaHeader(bytes, known);
  assert.deepEqual([flags, sequence, tick, ack, body, size], [flag.body | flag.long, 1, 1, 0, 1, bytes.length]);
  for (let cut = 1; cut <= bytes.length; ++cut)
    assert.throws(() => readDeltaHeader(bytes.subarray(0, bytes.length - cut), known), Refusal);
});

test("DeltaHeader.SkipsShortNumbersBeforeLongOnes", () => {
  const known = { sequence: 9, tick: 100, ack: 4, longSequence: 8 };
  assert.throws(() => readDeltaHeader(fromHex("02070064000400"), known), { reason: "too late" });
  assert.equal(readDeltaHeader(fromHex("02080064000400"), known).sequence, 8);
});

test("DeltaHeader.RefusesNumbersThatFitNoOther", () => {
  const known = { sequence: 1, tick: 1, ack: 1, longSequence: 0 };
  assert.throws(() => readDeltaHeader(fromHex("02018001000100"), known), { reason: "malformed delta" });
  assert.throws(() => readDeltaHeader(fromHex("020100ffff0100"), known), { reason: "malformed delta" });
});
