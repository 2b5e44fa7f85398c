// Values of a fixed size, as FlatBuffers has them inside tables, vectors and structs.
import { bytesOfText, textOf } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";

/** A type whose values have a fixed size. */
export interface InlineType<T> {
  readonly size: number;
  readonly alignment: number;
  read(view: DataView, at: number): T;
  /** Writes a value to bytes that are zeros. Throws a Refusal for one that the type does not have. */
  write(view: DataView, at: number, value: T): void;
}

function badValue(what: string): never {
  refuse("bad message", what);
}

const scalarOf = <T>(
  size: number,
  read: (view: DataView, at: number) => T,
  write: (view: DataView, at: number, value: T) => void,
): InlineType<T> => ({ size, alignment: size, read, write });

function integerOf(
  size: number,
  low: number,
  read: (view: DataView, at: number) => number,
  write: (view: DataView, at: number, value: number) => void,
): InlineType<number> {
  const high = low + 2 ** (8 * size) - 1;
  return scalarOf(size, read, (view, at, value) => {
    if (!Number.isInteger(value) || value < low || value > high)
      badValue(`${value} is no integer of ${low} to ${high}`);
    write(view, at, value);
  });
}

function bigOf(low: bigint, isSigned: boolean): InlineType<bigint> {
  const high = low + (1n << 64n) - 1n;
  const read = (view: DataView, at: number): bigint =>
    isSigned ? view.getBigInt64(at, true) : view.getBigUint64(at, true);
  return scalarOf(8, read, (view, at, value) => {
    if (value < low || value > high) badValue(`${value} is no integer of ${low} to ${high}`);
    view.setBigUint64(at, BigInt.asUintN(64, value), true);
  });
}

export const bool: InlineType<boolean> = /* @__PURE__ */ scalarOf(
  1,
  (view, at) => view.getUint8(at) !== 0,
  (view, at, value) => view.setUint8(at, value ? 1 : 0),
);
export const int8 = /* @__PURE__ */ integerOf(
  1,
  -128,
  (view, at) => view.getInt8(at),
  (view, at, value) => view.setInt8(at, value),
);
export const uint8 = /* @__PURE__ */ integerOf(
  1,
  0,
  (view, at) => view.getUint8(at),
  (view, at, value) => view.setUint8(at, value),
);
export const int16 = /* @__PURE__ */ integerOf(
  2,
  -32_768,
  (view, at) => view.getInt16(at, true),
  (view, at, value) => view.setInt16(at, value, true),
);
export const uint16 = /* @__PURE__ */ integerOf(
  2,
  0,
  (view, at) => view.getUint16(at, true),
  (view, at, value) => view.setUint16(at, value, true),
);
export const int32 = /* @__PURE__ */ integerOf(
  4,
  -(2 ** 31),
  (view, at) => view.getInt32(at, true),
  (view, at, value) => view.setInt32(at, value, true),
);
export const uint32 = /* @__PURE__ */ integerOf(
  4,
  0,
  (view, at) => view.getUint32(at, true),
  (view, at, value) => view.setUint32(at, value, true),
);
export const int64 = /* @__PURE__ */ bigOf(-(1n << 63n), true);
export const uint64 = /* @__PURE__ */ bigOf(0n, false);
export const float32: InlineType<number> = /* @__PURE__ */ scalarOf(
  4,
  (view, at) => view.getFloat32(at, true),
  (view, at, value) => view.setFloat32(at, value, true),
);
export const float64: InlineType<number> = /* @__PURE__ */ scalarOf(
  8,
  (view, at) => view.getFloat64(at, true),
  (view, at, value) => view.setFloat64(at, value, true),
);

/** An entity's handle: index and generation. 0n is none. */
export const entity: InlineType<bigint> = { ...uint64, alignment: 4 };

/** The names of an enum's values. Reading a value without a name is refused. */
export function enumOf<N extends number | bigint, K extends string>(
  type: InlineType<N>,
  values: Readonly<Record<K, N>>,
): InlineType<K> {
  const names = new Map(Object.entries(values).map(([name, value]) => [value as N, name as K]));
  return {
    ...type,
    read(view, at) {
      const value = type.read(view, at);
      return names.get(value) ?? badValue(`${value} is no value of the enum`);
    },
    write(view, at, name) {
      if (!Object.hasOwn(values, name)) badValue(`"${name}" is no value of the enum`);
      type.write(view, at, values[name]);
    },
  };
}

/** UTF-8 of at most `size` bytes, filled up with zeros. */
export function fixedText(size: number): InlineType<string> {
  const bytesAt = (view: DataView, at: number): Uint8Array => new Uint8Array(view.buffer, view.byteOffset + at, size);
  return {
    size,
    alignment: 1,
    read(view, at) {
      const bytes = bytesAt(view, at);
      const end = bytes.indexOf(0);
      return textOf(end < 0 ? bytes : bytes.subarray(0, end)) ?? badValue("a text is not UTF-8");
    },
    write(view, at, value) {
      const bytes = bytesOfText(value);
      if (bytes.length > size) badValue(`a text of ${bytes.length} bytes; it has at most ${size}`);
      bytesAt(view, at).set(bytes);
    },
  };
}

/** A fixed array. Elements that are not given are zeros. */
export function array<T>(type: InlineType<T>, length: number): InlineType<readonly T[]> {
  return {
    size: length * type.size,
    alignment: type.alignment,
    read: (view, at) => Array.from({ length }, (_, i) => type.read(view, at + i * type.size)),
    write(view, at, values) {
      if (values.length > length) badValue(`an array of ${values.length}; it has ${length} elements`);
      values.forEach((value, i) => type.write(view, at + i * type.size, value));
    },
  };
}

type Members<T> = { readonly [K in keyof T]: readonly [offset: number, type: InlineType<T[K]>] };

/** A struct of members at offsets. */
export function struct<T extends object>(size: number, alignment: number, members: () => Members<T>): InlineType<T> {
  let known: [name: keyof T, offset: number, type: InlineType<T[keyof T]>][] | null = null;
  const all = (): NonNullable<typeof known> =>
    (known ??= Object.entries(members()).map(([name, member]) => {
      const [offset, type] = member as Members<T>[keyof T];
      return [name as keyof T, offset, type];
    }));
  return {
    size,
    alignment,
    read: (view, at) =>
      Object.fromEntries(all().map(([name, offset, type]) => [name, type.read(view, at + offset)])) as T,
    write(view, at, value) {
      for (const [name, offset, type] of all()) type.write(view, at + offset, value[name]);
    },
  };
}
