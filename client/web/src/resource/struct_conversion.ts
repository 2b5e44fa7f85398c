// Structs of one schema as those of another: fields are matched by their paths.
import { type Component, type Field, isInteger, isReal, kind } from "../reflect/schema.js";

type Convert = (from: DataView, at: number, to: DataView, toAt: number) => void;

const isNumber = (field: Field): boolean =>
  (isInteger(field.kind) || isReal(field.kind) || field.kind === kind.bool) && field.enumValues.length === 0;

function sameNames(a: Field, b: Field): boolean {
  return (
    a.enumValues.length === b.enumValues.length &&
    a.enumValues.every((each, i) => each.name === b.enumValues[i]!.name && each.value === b.enumValues[i]!.value)
  );
}

function readNumber(field: Field, view: DataView, at: number): number {
  switch (field.kind) {
    case kind.float32:
      return view.getFloat32(at, true);
    case kind.float64:
      return view.getFloat64(at, true);
    case kind.int8:
      return view.getInt8(at);
    case kind.int16:
      return view.getInt16(at, true);
    case kind.int32:
      return view.getInt32(at, true);
    case kind.int64:
      return Number(view.getBigInt64(at, true));
    case kind.uint16:
      return view.getUint16(at, true);
    case kind.uint32:
      return view.getUint32(at, true);
    case kind.uint64:
      return Number(view.getBigUint64(at, true));
    default:
      return view.getUint8(at);
  }
}

/** Writes the nearest number that the field can hold. */
function writeNumber(field: Field, view: DataView, at: number, value: number): void {
  if (field.kind === kind.float32) return view.setFloat32(at, value, true);
  if (field.kind === kind.float64) return view.setFloat64(at, value, true);
  const bits = BigInt(8 * field.size);
  const isSigned = field.kind % 2 === 1;
  const low = isSigned ? -(1n << (bits - 1n)) : 0n;
  const high = field.kind === kind.bool ? 1n : low + (1n << bits) - 1n;
  const whole = Number.isFinite(value) ? BigInt(Math.round(value)) : 0n;
  const limited = whole < low ? low : whole > high ? high : whole;
  for (let i = 0; i < field.size; ++i) view.setUint8(at + i, Number(BigInt.asUintN(8, limited >> BigInt(8 * i))));
}

/** Returns null for fields that have nothing to do with each other. */
function conversionOf(from: Field, to: Field): Convert | null {
  if (from.kind === to.kind && from.size === to.size && sameNames(from, to))
    return (view, at, other, otherAt) => {
      for (let i = 0; i < from.size; ++i) other.setUint8(otherAt + i, view.getUint8(at + i));
    };
  if (!isNumber(from) || !isNumber(to)) return null;
  return (view, at, other, otherAt) => writeNumber(to, other, otherAt, readNumber(from, view, at));
}

/** Returns a function that writes the struct at a place of some bytes to `out`, which has the size of `to`. */
export function structConversion(
  from: Component,
  to: Component,
): (bytes: Uint8Array, at: number, out: Uint8Array) => void {
  const parts = to.fields.flatMap((field) => {
    const source = from.fields.find((each) => each.path === field.path);
    const convert = source === undefined ? null : conversionOf(source, field);
    return source === undefined || convert === null ? [] : [{ source, field, convert }];
  });
  return (bytes, at, out) => {
    out.set(to.defaults);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const target = new DataView(out.buffer, out.byteOffset, out.byteLength);
    for (const { source, field, convert } of parts)
      for (let i = 0; i < Math.min(source.count, field.count); ++i)
        convert(view, at + source.offset + i * source.stride, target, field.offset + i * field.stride);
  };
}
