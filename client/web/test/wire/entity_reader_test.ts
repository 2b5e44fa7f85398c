import assert from "node:assert/strict";
import { test } from "node:test";
import { BitReader } from "../../src/core/bits.js";
import { Refusal } from "../../src/core/refusal.js";
import { EntityReader } from "../../src/wire/entity_reader.js";
import type { Baselines } from "../../src/wire/motion.js";
import { type PageVector, pageVectors } from "../support/page_vectors.js";
import { newSeed, randomOf } from "../support/random.js";

const reader = new EntityReader();
const bits = new BitReader();

function baselinesOf(vector: PageVector): Baselines {
  const size = vector.layout.words;
  const words = new Uint32Array(3 * size);
  const place = (name: string, which: number): number => {
    const given = vector.words.get(name);
    if (given === undefined) return -1;
    words.set(given, which * size);
    return which * size;
  };
  return {
    words,
    baseline: place("b1", 0),
    previous: place("b2", 1),
    early: place("b3", 2),
    age: vector.numbers.get("age")!,
    span: vector.numbers.get("span")!,
    earlySpan: vector.numbers.get("early")!,
  };
}

function decode(vector: PageVector, bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(vector.layout.words);
  bits.reset(bytes);
  const tick = vector.numbers.get("tick")!;
  if (vector.words.has("b1")) reader.readDelta(bits, vector.layout, vector.owner, tick, baselinesOf(vector), words, 0);
  else reader.readFull(bits, vector.layout, vector.owner, tick, words, 0);
  return words;
}

pageVectors().forEach((vector, i) => {
  test(`EntityReader.DecodesVector${i + 1}OfThePage`, () => {
    const words = decode(vector, vector.bytes);
    assert.deepEqual([...words], [...vector.words.get("now")!]);
    assert.equal(bits.at, vector.numbers.get("bits"));
  });
});

test("EntityReader.ThePageHas26Vectors", () => assert.equal(pageVectors().length, 26));

test("EntityReader.RefusesEachVectorThatIsCutShort", () => {
  for (const vector of pageVectors()) {
    const whole = vector.numbers.get("bits")!;
    const cut = vector.bytes.slice(0, Math.floor((whole - 1) / 8));
    assert.throws(() => decode(vector, cut), Refusal, vector.components.join());
  }
});

test("EntityReader.DecodesOrRefusesDamagedBits", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  for (let round = 0; round < 3000; ++round) {
    const vectors = pageVectorsOnce;
    const vector = vectors[Math.floor(random() * vectors.length)]!;
    const damaged = Uint8Array.from(
      { length: vector.bytes.length + 16 },
      (_, i) => vector.bytes[i] ?? Math.floor(random() * 256),
    );
    for (let flips = 0; flips < 3; ++flips)
      damaged[Math.floor(random() * damaged.length)]! ^= 1 << Math.floor(random() * 8);
    try {
      const words = decode(vector, damaged);
      for (const row of vector.layout.units[vector.owner ? 1 : 0])
        for (const { unit, at } of row) unit.max.forEach((max, i) => assert.ok(words[at + i]! <= max, `seed ${seed}`));
    } catch (error) {
      if (!(error instanceof Refusal)) throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});

const pageVectorsOnce = pageVectors();
