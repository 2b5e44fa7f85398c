// Courses: values that follow from a state and its motion. The arithmetic gives the same bits as that of the server.
import { clamp } from "../core/integers.js";
import { rotationOfWords } from "./quaternion.js";
import type { Course } from "./row_layout.js";

/** Parts of a step in which velocities are. */
export const courseFraction = 32;
export const velocityMax = 2 ** 26;
export const turnOne = 2 ** 20;
export const courseAgeMax = 16384;
const turnAgeMax = 256;
const turnStride = 16;

/** Returns whether one of the motion's words is not 0. `row` is the first word of the component. */
export function isUnderWay(course: Course, words: Uint32Array, row: number): boolean {
  for (let i = row + course.course; i < row + course.tickWord; ++i) if (words[i] !== 0) return true;
  return false;
}

/** Returns the ticks since the course began, as far as it goes on; 0 at rest. */
export function courseAge(course: Course, words: Uint32Array, row: number, tick: number): number {
  const began = words[row + course.tickWord]!;
  return began === 0 || tick <= began ? 0 : Math.min(tick - began, course.turns ? turnAgeMax : courseAgeMax);
}

/** Returns a number of a vector, in 1/32 steps. */
export function pathAt(course: Course, words: Uint32Array, row: number, part: number, age: number): number {
  const velocity = words[row + course.course + part]! | 0;
  const acceleration = words[row + course.course + course.parts + part]! | 0;
  const at =
    courseFraction * words[row + course.first + part]! + velocity * age + acceleration * ((age * (age + 1)) / 2);
  return clamp(at, 0, courseFraction * course.max[part]!);
}

function squareOfTurn(course: Course, words: Uint32Array, row: number): number {
  const x = (words[row + course.course]! | 0) / turnOne;
  const y = (words[row + course.course + 1]! | 0) / turnOne;
  const z = (words[row + course.course + 2]! | 0) / turnOne;
  return x * x + y * y + z * z;
}

/** Returns whether these words can be the course of a state: not at rest, and within its limits. */
export function isCourse(course: Course, words: Uint32Array, row: number): boolean {
  if (words[row + course.tickWord] === 0 || !isUnderWay(course, words, row)) return false;
  const max = course.turns ? turnOne : velocityMax;
  for (let i = row + course.course; i < row + course.tickWord; ++i) if (Math.abs(words[i]! | 0) > max) return false;
  return !course.turns || squareOfTurn(course, words, row) <= 1;
}

// A power of the turn is a pair (c, d): the quaternion c + d (x, y, z).
let c = 1;
let d = 0;

function times(square: number, otherC: number, otherD: number): void {
  const nextC = c * otherC - square * d * otherD;
  d = d * otherC + c * otherD;
  c = nextC;
}

function setPower(square: number, age: number): void {
  c = Math.sqrt(Math.max(0, 1 - square));
  d = 1;
  const oneC = c;
  for (let i = 1; i < turnStride; i *= 2) times(square, c, d);
  const strideC = c;
  const strideD = d;
  c = 1;
  d = 0;
  for (let i = Math.floor(age / turnStride); i > 0; --i) times(square, strideC, strideD);
  for (let i = age % turnStride; i > 0; --i) times(square, oneC, 1);
}

const q = new Float64Array(4);

/** Writes the rotation of a course at an age, in doubles. */
export function turnAt(course: Course, words: Uint32Array, row: number, age: number, out: Float64Array): void {
  rotationOfWords(words, row + course.first, course.bits, q);
  const x = (words[row + course.course]! | 0) / turnOne;
  const y = (words[row + course.course + 1]! | 0) / turnOne;
  const z = (words[row + course.course + 2]! | 0) / turnOne;
  const [qx, qy, qz, qw] = q as unknown as [number, number, number, number];
  // The product of (x, y, z, 0) and q, from left to right.
  const px = 0 * qx + x * qw + y * qz - z * qy;
  const py = 0 * qy - x * qz + y * qw + z * qx;
  const pz = 0 * qz + x * qy - y * qx + z * qw;
  const pw = 0 * qw - x * qx - y * qy - z * qz;
  setPower(x * x + y * y + z * z, age);
  out[0] = c * qx + d * px;
  out[1] = c * qy + d * py;
  out[2] = c * qz + d * pz;
  out[3] = c * qw + d * pw;
}
