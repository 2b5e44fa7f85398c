// Decodes the states of entities. docs/protocol.md, Rows and entities, describes the bits.
import type { BitReader } from "../core/bits.js";
import { refuse } from "../core/refusal.js";
import { courseAge } from "./course.js";
import { courseBegin, readCourseMotion, predictCourseVector, predictCourseRotation } from "./course_bits.js";
import type { EntityLayout, PlacedUnit } from "./entity_layout.js";
import {
  type Baselines,
  motion,
  noBaselines,
  predictRotation,
  predictVector,
  restRotation,
  rotationCodes,
} from "./motion.js";
import { roundTrips } from "./quaternion.js";
import { halfOctave, readResidual, readSymbol, symbol } from "./residuals.js";
import { unitKind } from "./row_layout.js";
import { readValue } from "./value_bits.js";

/** Age at which nothing is extrapolated; that of a level's entity. */
export const levelAge = 65536;

const levelMax = 27;
// First tables of each kind of unit.
const table = {
  vector: 0,
  vectorAtRest: 28,
  rotation: 32,
  rotationAtRest: 60,
  next: 64,
  steadyVector: 96,
  slowVector: 104,
  steadyRotation: 112,
  calmRotation: 120,
} as const;

const ageClass = (age: number): number => (age <= 6 ? 0 : age <= 8 ? 1 : age <= 16 ? 2 : 3);

function malformed(what: string): never {
  refuse("malformed delta", what);
}

/** Reads one entity at a time; its members are the state of that. */
export class EntityReader {
  private bits!: BitReader;
  private from!: Baselines;
  private words!: Uint32Array;
  private at = 0; // place of the entity in `words`
  private tick = 0;
  private isFull = false;
  private others = false;
  private othersDecided = false;
  private surprise = 0;
  private calm = false;
  private small = false; // the first numbers of the last unit had distances of at most 1
  private readonly residuals = new Float64Array(4);
  private readonly usedBaselines = noBaselines(new Uint32Array(0));

  /** Reads a full state of `tick` to word `at` of `words`. */
  readFull(bits: BitReader, layout: EntityLayout, owner: boolean, tick: number, words: Uint32Array, at: number): void {
    const from = this.usedBaselines;
    from.words = layout.defaults;
    from.baseline = 0;
    from.age = 0;
    this.run(bits, layout, owner, tick, from, true, words, at);
  }

  /** Reads a delta against baselines, whose words are other ones than `words`. */
  readDelta(
    bits: BitReader,
    layout: EntityLayout,
    owner: boolean,
    tick: number,
    from: Baselines,
    words: Uint32Array,
    at: number,
  ): void {
    this.run(bits, layout, owner, tick, from, false, words, at);
  }

  private run(
    bits: BitReader,
    layout: EntityLayout,
    owner: boolean,
    tick: number,
    from: Baselines,
    isFull: boolean,
    words: Uint32Array,
    at: number,
  ): void {
    this.bits = bits;
    this.from = from;
    this.words = words;
    this.at = at;
    this.tick = tick;
    this.isFull = isFull;
    this.others = this.othersDecided = this.calm = false;
    this.surprise = 0;
    if (isFull || from.age > 16 || from.span < 1 || from.span > 16) from.previous = from.early = -1;
    for (let i = 0; i < layout.words; ++i) words[at + i] = from.words[from.baseline + i]!;
    const rows = layout.units[owner ? 1 : 0];
    const isAny = from.previous >= 0 && this.readExtrapolated(rows);
    if (!isAny || this.others) for (const row of rows) this.readRow(row);
  }

  // Moving ----------------------------------------------------------------------------------------------------------

  private isExtrapolated(placed: PlacedUnit): boolean {
    const { from } = this;
    if (from.previous < 0 || !placed.canExtrapolate) return false;
    const end = placed.at + placed.unit.words;
    for (let i = placed.at; i < end; ++i)
      if (from.words[from.baseline + i] !== from.words[from.previous + i]) return true;
    return false;
  }

  private readExtrapolated(rows: readonly PlacedUnit[][]): boolean {
    let isAny = false;
    for (const row of rows) {
      for (const placed of row) {
        if (!this.isExtrapolated(placed)) continue;
        isAny = true;
        if (placed.unit.kind === unitKind.vector) this.readMovingVector(placed);
        else this.readMovingRotation(placed);
      }
    }
    return isAny;
  }

  private steadyTable(first: number): number {
    return first + Math.max(halfOctave(this.from.age), 2) - 2;
  }

  /** Reads the first symbol of an extrapolated unit, after `others` if that is there. */
  private firstSymbol(which: number): number {
    let next = readSymbol(this.bits, which);
    if (next === symbol.others && !this.othersDecided) {
      this.others = true;
      next = readSymbol(this.bits, which);
    }
    this.othersDecided = true;
    return next;
  }

  private readMovingVector(placed: PlacedUnit): void {
    const { unit, at } = placed;
    predictVector(unit, this.from, at);
    const { steady, slow, speed } = motion;
    const expected = halfOctave(steady ? 4 * this.from.age : speed);
    const which = steady
      ? this.steadyTable(slow ? table.slowVector : table.steadyVector)
      : table.vector + Math.min(expected, levelMax);
    const first = this.firstSymbol(which);
    if (first === symbol.hold) return;
    const sum = this.readNumbers(this.at + at, unit.words, unit.max, 0, speed, first);
    this.surprise = Math.max(-8, Math.min(8, halfOctave(Math.floor((8 * sum) / unit.words)) - expected));
    this.calm = steady && this.small;
  }

  private readMovingRotation(placed: PlacedUnit): void {
    predictRotation(placed.unit, this.from, placed.at);
    const level = halfOctave(motion.speed) + Math.trunc((this.surprise * 3) / 2);
    const which = motion.steady
      ? this.steadyTable(this.calm ? table.calmRotation : table.steadyRotation)
      : table.rotation + Math.max(0, Math.min(levelMax, level));
    const first = this.firstSymbol(which);
    if (first !== symbol.hold) this.readRotation(placed, which, first);
  }

  /** Reads a rotation whose prediction is in `motion`, from its first symbol on. */
  private readRotation(placed: PlacedUnit, which: number, first: number): void {
    const { unit } = placed;
    const at = this.at + placed.at;
    let omitted = motion.turned;
    let next = first;
    if (first === symbol.turned) {
      omitted = this.bits.read(2);
      next = readSymbol(this.bits, which);
    }
    rotationCodes(omitted, unit.max[1]!);
    this.words[at] = omitted;
    this.readNumbers(at + 1, 3, unit.max, 1, motion.speed, next);
    if (unit.isUnitQuaternion && !roundTrips(this.words, at, unit.field.bits))
      malformed("a rotation that does not encode to itself");
  }

  /** Reads numbers whose predictions are in motion.numbers. Returns the sum of their distances. */
  private readNumbers(
    at: number,
    count: number,
    max: readonly number[],
    firstMax: number,
    speed: number,
    first: number,
  ): number {
    const { bits, residuals } = this;
    const firsts = Math.min(count, 3);
    let known = 1;
    if (first >= symbol.small) {
      const mask = first - symbol.small;
      if (mask >> firsts !== 0) malformed("a distance of a number that a unit does not have");
      for (let i = 0; i < firsts; ++i) residuals[i] = ((mask >> i) & 1) === 0 ? 0 : bits.bit() === 1 ? -1 : 1;
      known = firsts;
    } else {
      if (first > symbol.far) malformed("a symbol without a meaning");
      residuals[0] = readResidual(bits, first);
    }
    let sum = 0;
    for (let i = 0; i < count; ++i) {
      if (i >= known) {
        const level = halfOctave(Math.floor((2 * sum) / i) + Math.floor(speed / 16));
        const next = readSymbol(bits, table.next + Math.min(level, 31));
        if (next > symbol.far) malformed("a symbol without a meaning");
        residuals[i] = readResidual(bits, next);
      }
      sum += Math.abs(residuals[i]!);
      const value = motion.numbers[i]! + residuals[i]!;
      if (value < 0 || value > max[firstMax + i]!) malformed("a number beyond its range");
      this.words[at + i] = value;
    }
    this.small = true;
    for (let i = 0; i < firsts; ++i) this.small &&= Math.abs(residuals[i]!) <= 1;
    return sum;
  }

  // At rest ---------------------------------------------------------------------------------------------------------

  private readRow(row: readonly PlacedUnit[]): void {
    let count = 0;
    for (const placed of row) if (!this.isExtrapolated(placed)) ++count;
    if (count === 0 || this.bits.bit() === 0) return;
    for (const placed of row) {
      if (this.isExtrapolated(placed)) continue;
      if (count > 1 && this.bits.bit() === 0) continue;
      if (placed.course !== null) this.readCourse(placed);
      else this.readUnit(placed);
    }
  }

  private readUnit(placed: PlacedUnit): void {
    const { unit } = placed;
    if (unit.elements === 1 && unit.counter < 0) return this.readElement(placed, placed.at);
    const used =
      unit.counter < 0 ? unit.elements : Math.min(this.words[this.at + placed.row + unit.counter]!, unit.elements);
    for (let i = 0; i < used; ++i) if (this.bits.bit() === 1) this.readElement(placed, placed.at + i * unit.words);
    this.words.fill(0, this.at + placed.at + used * unit.words, this.at + placed.at + unit.elements * unit.words);
  }

  private readElement(placed: PlacedUnit, at: number): void {
    const { unit } = placed;
    const moves = unit.kind === unitKind.vector || unit.kind === unitKind.rotation;
    if (!moves || this.isFull)
      return readValue(this.bits, unit, this.from.words, this.from.baseline + at, this.words, this.at + at);
    const rest = ageClass(this.from.age);
    if (unit.kind === unitKind.vector) {
      for (let i = 0; i < unit.words; ++i) motion.numbers[i] = this.from.words[this.from.baseline + at + i]!;
      this.readNumbers(this.at + at, unit.words, unit.max, 0, 0, readSymbol(this.bits, table.vectorAtRest + rest));
      return;
    }
    restRotation(unit, this.from.words, this.from.baseline + at);
    motion.turned = this.from.words[this.from.baseline + at]!;
    const which = table.rotationAtRest + rest;
    this.readRotation(placed, which, readSymbol(this.bits, which));
  }

  // Courses ---------------------------------------------------------------------------------------------------------

  private readCourse(placed: PlacedUnit): void {
    const course = placed.course!;
    const { bits, from, words } = this;
    const row = this.at + placed.row;
    const base = from.baseline + placed.row;
    words.fill(0, row + course.course, row + course.tickWord + 1);
    const isUnderWay = bits.bit() === 1;
    const began = isUnderWay ? courseBegin(bits, course, this.tick, words, row) : this.tick;
    const age = courseAge(course, from.words, base, began);
    if (this.isFull) readValue(bits, placed.unit, from.words, from.baseline + placed.at, words, this.at + placed.at);
    else this.readCourseValue(placed, base, age);
    if (isUnderWay) readCourseMotion(bits, course, this.isFull ? null : from.words, base, age, words, row);
  }

  private readCourseValue(placed: PlacedUnit, base: number, age: number): void {
    const course = placed.course!;
    const level = Math.min(halfOctave(course.toleranceSteps), levelMax);
    const which = (course.turns ? table.rotation : table.vector) + level;
    const first = readSymbol(this.bits, which);
    if (course.turns) {
      predictCourseRotation(course, this.from.words, base, age);
      return this.readRotation(placed, which, first);
    }
    predictCourseVector(course, this.from.words, base, age);
    this.readNumbers(this.at + placed.at, placed.unit.words, placed.unit.max, 0, course.toleranceSteps, first);
  }
}
