// Values of fields in columns of typed arrays, from the words of a row.
import { type Field, isInteger, isReal, kind } from "../reflect/schema.js";
import { courseAge, courseFraction, isUnderWay, pathAt, turnAt } from "../wire/course.js";
import { type Quantiser, quantiserOf } from "../wire/field_words.js";
import { rotationOfWords } from "../wire/quaternion.js";
import { type FieldPlace, type RowLayout, receivers } from "../wire/row_layout.js";

export type Values =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** Writes the value of words from `at` on to elements of an array from `slot` on. */
export type WriteValue = (words: Uint32Array, at: number, values: Values, slot: number) => void;

const arrayOf: Readonly<Record<number, new (size: number) => Values>> = {
  [kind.bool]: Uint8Array,
  [kind.int8]: Int8Array,
  [kind.uint8]: Uint8Array,
  [kind.int16]: Int16Array,
  [kind.uint16]: Uint16Array,
  [kind.int32]: Int32Array,
  [kind.uint32]: Uint32Array,
  [kind.int64]: BigInt64Array,
  [kind.uint64]: BigUint64Array,
  [kind.float32]: Float32Array,
  [kind.float64]: Float64Array,
  [kind.rotation]: Float32Array,
  [kind.entity]: Uint32Array,
  [kind.text]: Uint8Array,
  [kind.stringId]: Uint32Array,
};

export function makeValues(field: Field, size: number): Values {
  return new arrayOf[field.kind]!(size);
}

/** Returns the elements of one value: 4 of a rotation, 2 of an entity, the bytes of a text. */
export function valueWidth(field: Field): number {
  return field.kind === kind.rotation ? 4 : field.kind === kind.entity ? 2 : field.kind === kind.text ? field.size : 1;
}

const scratchWords = new Uint32Array(4);
const scratchFloats = new Float32Array(scratchWords.buffer);
const scratchDoubles = new Float64Array(scratchWords.buffer);
const rotation = new Float64Array(4);

const is64 = (field: Field): boolean => field.kind === kind.int64 || field.kind === kind.uint64;
const big = (words: Uint32Array, at: number, count: number): bigint =>
  BigInt(words[at]!) | (count === 2 ? BigInt(words[at + 1]!) << 32n : 0n);

function writeRotation(field: Field): WriteValue {
  if (field.bits === 0)
    return (words, at, values, slot) => {
      for (let i = 0; i < 4; ++i) {
        scratchWords[0] = words[at + i]!;
        values[slot + i] = scratchFloats[0]!;
      }
    };
  return (words, at, values, slot) => {
    rotationOfWords(words, at, field.bits, rotation);
    for (let i = 0; i < 4; ++i) values[slot + i] = rotation[i]!;
  };
}

function writeReal(field: Field): WriteValue {
  if (field.bits > 0) {
    const { origin, step, base } = quantiserOf(field);
    return (words, at, values, slot) => {
      values[slot] = (words[at]! + origin) * step + base;
    };
  }
  const count = field.size / 4;
  return (words, at, values, slot) => {
    for (let i = 0; i < count; ++i) scratchWords[i] = words[at + i]!;
    values[slot] = count === 1 ? scratchFloats[0]! : scratchDoubles[0]!;
  };
}

function writeInteger(field: Field, words32: number): WriteValue {
  const low = field.ranged ? field.low : 0;
  if (is64(field)) {
    const named = field.enumValues.map((each) => each.value);
    const lowest = BigInt(low);
    return (words, at, values, slot) => {
      const code = big(words, at, words32);
      values[slot] = named.length > 0 ? named[Number(code)]! : code + lowest;
    };
  }
  if (field.enumValues.length > 0) {
    const named = field.enumValues.map((each) => Number(each.value));
    return (words, at, values, slot) => {
      values[slot] = named[words[at]!]!;
    };
  }
  return (words, at, values, slot) => {
    values[slot] = words[at]! + low;
  };
}

function makeWriter(field: Field, words32: number): WriteValue {
  if (field.kind === kind.rotation) return writeRotation(field);
  if (isReal(field.kind)) return writeReal(field);
  if (isInteger(field.kind)) return writeInteger(field, words32);
  if (field.kind === kind.entity)
    return (words, at, values, slot) => {
      values[slot] = words[at]!;
      values[slot + 1] = words[at + 1]!;
    };
  if (field.kind === kind.text)
    return (words, at, values, slot) => {
      for (let i = 0; i < field.size; ++i) values[slot + i] = words[at + 1 + (i >> 2)]! >>> (8 * (i & 3));
    };
  return (words, at, values, slot) => {
    values[slot] = words[at]!;
  };
}

/** A field of a component, as far as clients receive it. */
export interface ColumnLayout {
  readonly field: Field;
  readonly width: number; // elements of one value
  readonly size: number; // elements of all values
  readonly write: WriteValue;
  readonly quantiser: Quantiser | null;
  readonly zero: number | bigint;
  /** Where an owner's state has the field, and where that of another client has it. */
  readonly places: readonly [others: FieldPlace, owner: FieldPlace];
}

const layouts = new WeakMap<RowLayout, readonly ColumnLayout[]>();

/** Returns the columns of a row. They are made once for all pools of a component. */
export function columnLayouts(row: RowLayout): readonly ColumnLayout[] {
  const known = layouts.get(row);
  if (known !== undefined) return known;
  const made = makeLayouts(row);
  layouts.set(row, made);
  return made;
}

function makeLayouts(row: RowLayout): ColumnLayout[] {
  const places = new Map<Field, FieldPlace[]>();
  for (const place of row.fields) places.set(place.field, [...(places.get(place.field) ?? []), place]);
  return [...places].map(([field, all]) => {
    const others = all.find((place) => place.receivers !== receivers.owner) ?? all[0]!;
    const owner = all.find((place) => place.receivers !== receivers.others) ?? all[0]!;
    const width = valueWidth(field);
    const quantiser = isReal(field.kind) && field.bits > 0 ? quantiserOf(field) : null;
    const write = makeWriter(field, others.words);
    return {
      field,
      width,
      size: width * field.count,
      write,
      quantiser,
      zero: is64(field) ? 0n : 0,
      places: [others, owner],
    };
  });
}

const turned = new Float64Array(4);

/** Writes the value that a course has at a tick. `row` is the first word of the component. */
export function writeCourseValue(
  column: ColumnLayout,
  place: FieldPlace,
  words: Uint32Array,
  row: number,
  tick: number,
  values: Values,
  slot: number,
): void {
  const course = place.course!;
  const age = courseAge(course, words, row, tick);
  if (course.turns) {
    turnAt(course, words, row, age, turned);
    for (let i = 0; i < 4; ++i) values[slot + i] = turned[i]!;
    return;
  }
  const { origin, step, base } = column.quantiser!;
  values[slot] = (pathAt(course, words, row, place.part, age) / courseFraction + origin) * step + base;
}

/** Writes the value of a field at a tick. Elements of an array that are not in use become zeros. */
export function writeColumn(
  column: ColumnLayout,
  owner: boolean,
  words: Uint32Array,
  row: number,
  tick: number,
  values: Values,
  slot: number,
): void {
  const place = column.places[owner ? 1 : 0];
  if (place.course !== null && isUnderWay(place.course, words, row)) {
    writeCourseValue(column, place, words, row, tick, values, slot);
    return;
  }
  const used = place.counter < 0 ? column.field.count : Math.min(words[row + place.counter]!, column.field.count);
  for (let i = 0; i < used; ++i)
    column.write(words, row + place.first + i * place.words, values, slot + i * column.width);
  for (let i = slot + used * column.width; i < slot + column.size; ++i) values[i] = column.zero;
}
