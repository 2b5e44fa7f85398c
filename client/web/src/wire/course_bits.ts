// Bits of a course besides its value: its beginning, velocities and accelerations, and what is expected of its value.
import type { BitReader } from "../core/bits.js";
import { clamp } from "../core/integers.js";
import { refuse } from "../core/refusal.js";
import { courseAgeMax, courseFraction, isCourse, pathAt, turnAt, velocityMax } from "./course.js";
import { courseRotation, motion } from "./motion.js";
import type { Course } from "./row_layout.js";

/** Reads the tick at which a course began, and returns it. */
export function courseBegin(bits: BitReader, course: Course, tick: number, words: Uint32Array, row: number): number {
  const age = bits.golomb(0);
  if (age >= tick || age > courseAgeMax) refuse("malformed delta", "a course began at an impossible tick");
  words[row + course.tickWord] = tick - age;
  return tick - age;
}

export function predictCourseVector(course: Course, words: Uint32Array, row: number, age: number): void {
  for (let i = 0; i < course.parts; ++i)
    motion.numbers[i] = Math.floor((pathAt(course, words, row, i, age) + courseFraction / 2) / courseFraction);
}

const rotation = new Float64Array(4);

export function predictCourseRotation(course: Course, words: Uint32Array, row: number, age: number): void {
  turnAt(course, words, row, age, rotation);
  courseRotation(rotation, course.toleranceSteps);
}

const predicted = new Float64Array(4);
const pull = new Float64Array(4);

function readGroup(bits: BitReader, from: Float64Array, count: number, words: Uint32Array, at: number): void {
  const width = bits.read(5);
  for (let i = 0; i < count; ++i) {
    const distance = width === 0 ? 0 : bits.read(width);
    words[at + i] = from[i]! + (width > 0 && bits.bit() === 1 ? -distance : distance);
  }
}

/** Reads the motion of a course. `from` has the baseline's course; null in a full state. */
export function readCourseMotion(
  bits: BitReader,
  course: Course,
  from: Uint32Array | null,
  base: number,
  age: number,
  words: Uint32Array,
  row: number,
): void {
  const count = course.velocities;
  for (let i = 0; i < count; ++i) {
    const velocity = from === null ? 0 : from[base + course.course + i]! | 0;
    pull[i] = from === null || course.turns ? 0 : from[base + course.course + count + i]! | 0;
    predicted[i] = course.turns ? velocity : clamp(velocity + pull[i]! * age, -velocityMax, velocityMax);
  }
  readGroup(bits, predicted, count, words, row + course.course);
  if (!course.turns && bits.bit() === 1) readGroup(bits, pull, count, words, row + course.course + count);
  if (!isCourse(course, words, row)) refuse("malformed delta", "a course that is at rest or beyond its limits");
}
