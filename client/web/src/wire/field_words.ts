// Values of fields in the bytes of a component, as the words of a row.
import { clamp } from "../core/integers.js";
import { type Field, isReal, isSigned, kind } from "../reflect/schema.js";
import { rotationWords } from "./quaternion.js";

/** Returns the number of words of one value. */
export function fieldWords(field: Field): number {
  if (field.kind === kind.rotation) return 4;
  if (field.kind === kind.entity) return 2;
  if (field.kind === kind.text) return 1 + ((field.size + 3) >> 2);
  const isCoded = field.bits > 0 || field.enumValues.length > 0;
  return (isCoded ? field.bits : field.size * 8) > 32 ? 2 : 1;
}

/** Maps the steps of a ranged float to values: (q + origin) * step + base. */
export interface Quantiser {
  readonly origin: number;
  readonly step: number;
  readonly base: number;
}

/** If low is a whole number of steps, zero is exactly zero. */
export function quantiserOf(field: Field): Quantiser {
  const origin = Math.round(field.low / field.step);
  const isWhole = Math.abs(origin * field.step - field.low) <= 1e-9 * field.step;
  return { origin: isWhole ? origin : 0, step: field.step, base: isWhole ? 0 : field.low };
}

function integerOf(field: Field, view: DataView, at: number): number {
  switch (field.kind) {
    case kind.int8:
      return view.getInt8(at);
    case kind.int16:
      return view.getInt16(at, true);
    case kind.uint16:
      return view.getUint16(at, true);
    case kind.int32:
      return view.getInt32(at, true);
    case kind.uint32:
    case kind.stringId:
      return view.getUint32(at, true);
    default:
      return view.getUint8(at);
  }
}

function realCode(field: Field, value: number): number {
  if (!(value > field.low)) return 0;
  const high = field.low + field.steps * field.step;
  return value >= high ? field.steps : Math.min(Math.floor((value - field.low) * (1 / field.step) + 0.5), field.steps);
}

/** Returns the place of a value among those of an enum; that of zero for a value that it does not have. */
function enumCode(field: Field, value: bigint): number {
  const place = field.enumValues.findIndex((each) => each.value === value);
  return place >= 0 ? place : field.enumValues.findIndex((each) => each.value === 0n);
}

/** Returns the code of a number of at most 32 bits; its own bits if it has neither range nor names. */
function codeOf(field: Field, view: DataView, at: number): number {
  if (isReal(field.kind)) {
    if (field.bits === 0) return view.getUint32(at, true);
    return realCode(field, field.size === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true));
  }
  const value = integerOf(field, view, at);
  if (field.kind === kind.bool) return value === 0 ? 0 : 1;
  if (field.enumValues.length > 0) return enumCode(field, BigInt(value));
  return field.ranged ? clamp(value - field.low, 0, field.steps) : value & mask(field.size);
}

const mask = (size: number): number => (size === 4 ? -1 : (1 << (8 * size)) - 1);

/** Writes the words of a number of 64 bits. */
function writeLong(field: Field, view: DataView, at: number, words: Uint32Array, first: number): void {
  const bits = view.getBigUint64(at, true);
  const value = isSigned(field.kind) ? BigInt.asIntN(64, bits) : bits;
  let code = bits;
  if (field.enumValues.length > 0) code = BigInt(enumCode(field, BigInt.asIntN(64, bits)));
  else if (field.ranged) {
    const from = value - BigInt(field.low);
    code = from < 0n ? 0n : from > BigInt(field.steps) ? BigInt(field.steps) : from;
  }
  words[first] = Number(code & 0xffff_ffffn);
  if (fieldWords(field) === 2) words[first + 1] = Number(code >> 32n);
}

function writeText(field: Field, view: DataView, at: number, words: Uint32Array, first: number): void {
  let length = 0;
  while (length < field.size && view.getUint8(at + length) !== 0) ++length;
  words.fill(0, first, first + fieldWords(field));
  words[first] = length;
  for (let i = 0; i < length; ++i) words[first + 1 + (i >> 2)]! |= view.getUint8(at + i) << (8 * (i & 3));
}

const rotation = new Float64Array(4);

function writeRotation(field: Field, view: DataView, at: number, words: Uint32Array, first: number): void {
  for (let i = 0; i < 4; ++i) rotation[i] = view.getFloat32(at + 4 * i, true);
  rotationWords(rotation, field.bits, words, first);
}

/** Writes the words of the value at a place. A value that cannot be sent becomes the nearest that can. */
export function writeFieldWords(field: Field, view: DataView, at: number, words: Uint32Array, first: number): void {
  if (field.kind === kind.text) return writeText(field, view, at, words, first);
  if (field.kind === kind.entity) {
    const generation = view.getUint32(at + 4, true);
    words[first] = generation === 0 ? 0 : view.getUint32(at, true);
    words[first + 1] = generation;
    return;
  }
  if (field.kind === kind.rotation) {
    if (field.bits === 0) for (let i = 0; i < 4; ++i) words[first + i] = view.getUint32(at + 4 * i, true);
    else writeRotation(field, view, at, words, first);
    return;
  }
  const isLong = field.size === 8 && !(isReal(field.kind) && field.bits > 0);
  if (isLong) writeLong(field, view, at, words, first);
  else words[first] = codeOf(field, view, at);
}
