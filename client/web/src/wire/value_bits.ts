// Bits of values that are not extrapolated: numbers, plain words, texts, references to entities.
import type { BitReader } from "../core/bits.js";
import { refuse } from "../core/refusal.js";
import { bitWidth } from "../reflect/quantisation.js";
import { kind } from "../reflect/schema.js";
import { roundTrips } from "./quaternion.js";
import { type Unit, unitKind } from "./row_layout.js";

function malformed(what: string): never {
  refuse("malformed delta", what);
}

function readPlain(bits: BitReader, unit: Unit, words: Uint32Array, at: number): void {
  for (let i = 0; i < unit.words; ++i) {
    const word = bits.read(unit.bits[i]!);
    if (word > unit.max[i]!) malformed("a value beyond its range");
    words[at + i] = word;
  }
  const { field } = unit;
  if (field.kind === kind.rotation && field.bits > 0 && !roundTrips(words, at, field.bits))
    malformed("a rotation that does not encode to itself");
}

function readNumber(bits: BitReader, unit: Unit, baseline: number, words: Uint32Array, at: number): void {
  const width = unit.bits[0]!;
  if (bits.bit() === 1) {
    words[at] = bits.read(width);
  } else {
    const folded = bits.golomb(2);
    const distance = folded % 2 === 1 ? (folded + 1) / 2 : -folded / 2;
    const size = 2 ** width;
    words[at] = (((baseline + distance) % size) + size) % size;
  }
  if (words[at]! > unit.max[0]!) malformed("a number beyond its range");
}

function readText(bits: BitReader, unit: Unit, words: Uint32Array, at: number): void {
  const length = bits.read(bitWidth(unit.max[0]!));
  if (length > unit.max[0]!) malformed("a text that is too long");
  words.fill(0, at, at + unit.words);
  words[at] = length;
  for (let i = 0; i < length; ++i) {
    const byte = bits.read(8);
    if (byte === 0) malformed("a text with a zero byte");
    words[at + 1 + (i >> 2)]! |= byte << (8 * (i & 3));
  }
}

function readEntity(bits: BitReader, words: Uint32Array, at: number): void {
  const is = bits.bit() === 1;
  words[at] = is ? bits.golomb(12) : 0;
  words[at + 1] = is ? bits.read(32) : 0;
  if (is && words[at + 1] === 0) malformed("an entity of generation 0");
}

/** Reads an element of a unit that has changed. `from` has the baseline at `base`. */
export function readValue(
  bits: BitReader,
  unit: Unit,
  from: Uint32Array,
  base: number,
  words: Uint32Array,
  at: number,
): void {
  switch (unit.kind) {
    case unitKind.text:
      return readText(bits, unit, words, at);
    case unitKind.entity:
      return readEntity(bits, words, at);
    case unitKind.number:
    case unitKind.plain:
      if (unit.words === 1 && unit.max[0] === 1) {
        words[at] = 1 - from[base]!; // the other of two values
        return;
      }
      if (unit.kind === unitKind.number) return readNumber(bits, unit, from[base]!, words, at);
  }
  readPlain(bits, unit, words, at);
}
