// Layout of a component as 32-bit words, a row, and of its units: the parts that change and are sent together.
// docs/protocol.md describes both.
import { type Component, type Field, isInteger, isReal, kind } from "../reflect/schema.js";
import { fieldWords, writeFieldWords } from "./field_words.js";

/** Clients that receive a section of a row. `others` are all but the entity's owner. */
export const receivers = { everyone: 0, others: 1, owner: 2 } as const;

export const unitKind = { vector: 0, rotation: 1, number: 2, plain: 3, text: 4, entity: 5 } as const;

export interface Unit {
  readonly kind: number;
  readonly receivers: number;
  readonly first: number; // its first word in the row
  words: number; // in one element
  readonly elements: number;
  readonly counter: number; // word with the number of elements in use; -1 without one
  readonly bits: number[]; // for each word
  readonly max: number[]; // greatest value of each word; of a text its bytes
  readonly field: Field;
  readonly isUnitQuaternion: boolean;
  course: Course | null;
}

/** Unit with dead reckoning. Its course has words of its own behind those of its section. */
export interface Course {
  readonly turns: boolean;
  readonly forOthers: boolean;
  readonly parts: number; // numbers of a vector; 4 for a rotation
  readonly velocities: number;
  readonly first: number; // first word of the value
  readonly course: number; // first word of the course
  readonly tickWord: number; // with the tick at which it began; 0 at rest
  readonly max: readonly number[];
  readonly bits: number;
  readonly toleranceSteps: number;
}

/** Field of a row, at its words. */
export interface FieldPlace {
  readonly field: Field;
  readonly receivers: number;
  readonly first: number;
  readonly words: number; // in one element
  readonly counter: number; // word with the number of elements in use; -1 without one
  course: Course | null;
  part: number; // which number of the course's value
}

export interface RowLayout {
  readonly component: Component;
  words: number;
  commonWords: number; // for everyone
  publicWords: number; // for all but the owner
  readonly units: Unit[];
  readonly courses: Course[];
  readonly fields: FieldPlace[];
  defaults: Uint32Array;
}

const isArray = (field: Field): boolean => field.count > 1 || field.countField >= 0;
const isVectorPart = (field: Field): boolean => isReal(field.kind) && field.ranged && !isArray(field);
const parent = (field: Field): string => field.path.slice(0, Math.max(field.path.lastIndexOf("."), 0));

function isSentTo(field: Field, to: number): boolean {
  if (field.notSent) return false;
  if (field.ownerOnly) return to === receivers.owner;
  return (field.predicted && field.tolerance > 0) === (to !== receivers.everyone);
}

function unitKindOf(field: Field): number {
  if (field.kind === kind.entity) return unitKind.entity;
  if (field.kind === kind.text) return unitKind.text;
  if (field.kind === kind.rotation) return field.bits > 0 && !isArray(field) ? unitKind.rotation : unitKind.plain;
  if (isVectorPart(field)) return unitKind.vector;
  if (field.smallestThree) return unitKind.rotation;
  const isNear = (isInteger(field.kind) || field.ranged) && field.enumValues.length === 0;
  return isNear && (field.bits || field.size * 8) <= 32 ? unitKind.number : unitKind.plain;
}

function continuesUnit(unit: Unit, before: Field, field: Field): boolean {
  const isOneCourse = before.tolerance === field.tolerance && (field.tolerance === 0 || before.kind === field.kind);
  if (before.ownerOnly !== field.ownerOnly || !isOneCourse || unit.words === 4) return false;
  if (parent(field) === "" || parent(before) !== parent(field)) return false;
  if (unit.kind === unitKind.vector) return isVectorPart(before) && isVectorPart(field);
  return unit.kind === unitKind.rotation && field.smallestThree;
}

/** Appends bits and greatest value of each word of a value. */
function describeWords(field: Field, words: number, unit: Unit): void {
  const add = (bits: number, max: number): void => {
    unit.bits.push(bits);
    unit.max.push(max);
  };
  if (field.kind === kind.text) return add(0, field.size);
  if (field.kind === kind.entity) return;
  if (field.kind === kind.rotation) {
    const coded = field.bits > 0;
    add(coded ? 2 : 32, coded ? 3 : 0xffff_ffff);
    for (let i = 1; i < 4; ++i) add(coded ? field.bits : 32, coded ? 2 ** field.bits - 2 : 0xffff_ffff);
    return;
  }
  const isCoded = field.bits > 0 || field.enumValues.length > 0;
  const bits = isCoded ? field.bits : field.kind === kind.bool ? 1 : field.size * 8;
  const max = isCoded ? field.steps : 2 ** bits - 1;
  add(Math.min(bits, 32), Math.min(max, 0xffff_ffff));
  if (words === 2) add(bits - 32, bits === 64 ? 0xffff_ffff : Math.floor(max / 0x1_0000_0000));
}

function toleranceSteps(field: Field): number {
  const perUnit = field.kind === kind.rotation ? (2 ** (field.bits - 1) - 1) * Math.SQRT2 : 1 / field.step;
  return Math.min(Math.ceil(field.tolerance * perUnit), 1e6);
}

function addField(row: RowLayout, field: Field, to: number): FieldPlace {
  const counting = row.component.fields[field.countField];
  const place: FieldPlace = {
    field,
    receivers: to,
    first: row.words,
    words: fieldWords(field),
    counter:
      counting === undefined ? -1 : row.fields.find((each) => each.field === counting && each.receivers === to)!.first,
    course: null,
    part: 0,
  };
  row.words += place.words * field.count;
  row.fields.push(place);
  return place;
}

function addUnit(row: RowLayout, place: FieldPlace, before: FieldPlace | undefined): void {
  const last = row.units.at(-1);
  const { field } = place;
  if (last !== undefined && before !== undefined && continuesUnit(last, before.field, field)) {
    describeWords(field, 1, last);
    ++last.words;
    return;
  }
  const unit: Unit = {
    kind: unitKindOf(field),
    receivers: place.receivers,
    first: place.first,
    words: place.words,
    elements: field.count,
    counter: place.counter,
    bits: [],
    max: [],
    field,
    isUnitQuaternion: field.kind === kind.rotation && field.bits > 0,
    course: null,
  };
  describeWords(field, place.words, unit);
  row.units.push(unit);
}

function addCourse(row: RowLayout, unit: Unit): void {
  if (unit.field.tolerance === 0) return;
  const turns = unit.kind === unitKind.rotation;
  const velocities = turns ? 3 : unit.words;
  const words = turns ? 4 : 2 * velocities + 1;
  const course: Course = {
    turns,
    forOthers: unit.receivers === receivers.others,
    parts: unit.words,
    velocities,
    first: unit.first,
    course: row.words,
    tickWord: row.words + words - 1,
    max: unit.max,
    bits: unit.field.bits,
    toleranceSteps: toleranceSteps(unit.field),
  };
  unit.course = course;
  row.words += words;
  row.courses.push(course);
  for (const place of row.fields) {
    if (place.first < unit.first || place.first >= unit.first + unit.words) continue;
    place.course = course;
    place.part = place.first - unit.first;
  }
}

function addSection(row: RowLayout, counters: ReadonlySet<Field>, to: number): void {
  const firstUnit = row.units.length;
  const sent = row.component.fields.filter((field) => isSentTo(field, to));
  const ordered = [...sent.filter((field) => counters.has(field)), ...sent.filter((field) => !counters.has(field))];
  const places = ordered.map((field) => addField(row, field, to));
  places.forEach((place, i) => addUnit(row, place, places[i - 1]));
  if (to !== receivers.owner) for (const unit of row.units.slice(firstUnit)) addCourse(row, unit);
}

export function makeRowLayout(component: Component): RowLayout {
  const row: RowLayout = {
    component,
    words: 0,
    commonWords: 0,
    publicWords: 0,
    units: [],
    courses: [],
    fields: [],
    defaults: new Uint32Array(0),
  };
  const counters = new Set(component.fields.flatMap((field) => component.fields[field.countField] ?? []));
  addSection(row, counters, receivers.everyone);
  row.commonWords = row.words;
  addSection(row, counters, receivers.others);
  row.publicWords = row.words;
  addSection(row, counters, receivers.owner);
  row.defaults = new Uint32Array(row.words);
  writeRow(row, component.defaults, 0, row.defaults, 0);
  return row;
}

/** Writes the words of a component whose bytes begin at `at`. Courses are at rest. */
export function writeRow(row: RowLayout, bytes: Uint8Array, at: number, words: Uint32Array, first: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const place of row.fields) {
    const used = place.counter < 0 ? place.field.count : Math.min(words[first + place.counter]!, place.field.count);
    for (let i = 0; i < used; ++i)
      writeFieldWords(
        place.field,
        view,
        at + place.field.offset + i * place.field.stride,
        words,
        first + place.first + i * place.words,
      );
  }
}
