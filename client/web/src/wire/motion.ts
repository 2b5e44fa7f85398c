// Extrapolation: where a vector or a rotation should be now, from its states before. All arithmetic is on integers.
// Results are left in variables of this module, because there are thousands in a delta.
import { clamp, mulDiv, mulRoundDiv, root, roundDiv } from "../core/integers.js";
import type { Unit } from "./row_layout.js";

/** States that a delta is encoded against, as places in `words`; -1 without one. */
export interface Baselines {
  words: Uint32Array;
  baseline: number;
  previous: number;
  early: number;
  age: number; // ticks from the baseline to the state
  span: number; // ticks from the previous baseline to the baseline
  earlySpan: number; // ticks from the early baseline to the baseline
}

/** Returns baselines that are not chosen yet. */
export const noBaselines = (words: Uint32Array): Baselines => ({
  words,
  baseline: 0,
  previous: -1,
  early: -1,
  age: 0,
  span: 0,
  earlySpan: 0,
});

/** Expected state of a unit. */
export const motion = {
  numbers: new Float64Array(4), // a vector's words, or the codes of a rotation
  p: new Float64Array(4), // a rotation's parts
  turned: 0, // the part that it omits
  speed: 0,
  steady: false,
  slow: false,
};

const bendOne = 2 ** 28;

/** Returns a number of the line through an earlier state and the baseline, `ticks` after the baseline. */
function onLine(now: number, earlier: number, span: number, ticks: number): number {
  return now + roundDiv((now - earlier) * ticks, span);
}

function isSteadyVector(unit: Unit, from: Baselines, offset: number): boolean {
  if (from.early < 0) return false;
  const { words } = from;
  let away = 0;
  for (let i = offset; i < offset + unit.words; ++i) {
    const expected = onLine(words[from.baseline + i]!, words[from.early + i]!, from.earlySpan, -from.span);
    away += Math.abs(expected - words[from.previous + i]!);
  }
  return away <= 2;
}

/** Predicts the vector at word `offset` of an entity. */
export function predictVector(unit: Unit, from: Baselines, offset: number): void {
  const { words, age } = from;
  motion.steady = isSteadyVector(unit, from, offset);
  const earlier = (motion.steady ? from.early : from.previous) + offset;
  const span = motion.steady ? from.earlySpan : from.span;
  let way = 0;
  motion.speed = 0;
  for (let i = 0; i < unit.words; ++i) {
    const now = words[from.baseline + offset + i]!;
    const step = Math.abs(now - words[earlier + i]!);
    motion.numbers[i] = clamp(onLine(now, words[earlier + i]!, span, age), 0, unit.max[i]!);
    if (!motion.steady) motion.speed += Math.floor((step * age) / span);
    way += step;
  }
  motion.slow = motion.steady && way < 24;
}

function dot(a: Float64Array, b: Float64Array): number {
  return a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]! + a[3]! * b[3]!;
}

function unpack(words: Uint32Array, at: number, max: number, q: Float64Array): void {
  const omitted = words[at]! & 3;
  let left = 2 * max * max;
  for (let i = 0, next = at + 1; i < 4; ++i) {
    if (i === omitted) continue;
    q[i] = 2 * words[next++]! - max;
    left -= q[i]! * q[i]!;
  }
  q[omitted] = root(Math.max(left, 0));
}

function greatest(q: Float64Array): number {
  let found = 0;
  for (let i = 1; i < 4; ++i) if (Math.abs(q[i]!) > Math.abs(q[found]!)) found = i;
  return found;
}

// The even turn through an earlier state and the baseline.
const q1 = new Float64Array(4);
const q2 = new Float64Array(4);
const before = new Float64Array(4);
let turn = 0;
let whole = 1;
let lag = 0;
let pathSpan = 1;

function beginPath(unit: Unit, words: Uint32Array, baseline: number, earlier: number, span: number): void {
  unpack(words, baseline, unit.max[1]!, q1);
  unpack(words, earlier, unit.max[1]!, q2);
  turn = dot(q1, q2);
  if (turn < 0) {
    turn = -turn;
    for (let i = 0; i < 4; ++i) q2[i] = -q2[i]!;
  }
  whole = Math.max(1, dot(q1, q1));
  turn = Math.min(turn, whole);
  lag = mulDiv(whole - turn, bendOne, whole);
  pathSpan = span;
}

function bendAfter(part: number): number {
  const span = pathSpan;
  const second = mulDiv(lag, lag, bendOne) * ((2 * part + 3 * span) * (part + 2 * span));
  return Math.floor(((15 * span * span * lag + second) * (2 * part + span)) / (45 * span * span * span));
}

/** Leaves the rotation after the baseline, or less than the span before it. */
function followPath(ticks: number): void {
  const { p } = motion;
  for (let i = 0; i < 4; ++i) {
    p[i] = 64 * q1[i]!;
    before[i] = 64 * q2[i]!;
  }
  for (let steps = ticks > 0 ? Math.floor(ticks / pathSpan) : 0; steps > 0; --steps) {
    for (let i = 0; i < 4; ++i) {
      const now = p[i]!;
      p[i] = mulRoundDiv(2 * turn, now, whole) - before[i]!;
      before[i] = now;
    }
  }
  const part = ticks % pathSpan;
  if (part !== 0) {
    const bend = bendAfter(part);
    for (let i = 0; i < 4; ++i) {
      const straight = before[i]! + mulDiv(before[i]!, bend, bendOne);
      p[i] = Math.floor(((pathSpan + part) * p[i]! - part * straight) / 8);
    }
  }
  motion.turned = greatest(p);
}

/** Leaves the codes of the rotation, with a part omitted that may be another than the greatest. */
export function rotationCodes(omitted: number, max: number): void {
  const { p, numbers } = motion;
  const length = Math.max(1, root(dot(p, p)));
  const wanted = root(2 * max * max);
  const sign = p[omitted]! < 0 ? -1 : 1;
  for (let i = 0, next = 0; i < 4; ++i) {
    if (i === omitted) continue;
    numbers[next++] = clamp(Math.floor((mulRoundDiv(p[i]! * sign, wanted, length) + max) / 2), 0, max);
  }
}

function passes(unit: Unit, words: Uint32Array, state: number, ticks: number): boolean {
  followPath(-ticks);
  rotationCodes(words[state]! & 3, unit.max[1]!);
  let away = 0;
  for (let i = 0; i < 3; ++i) away += Math.abs(motion.numbers[i]! - words[state + 1 + i]!);
  return away <= 2;
}

/** Predicts the rotation at word `offset` of an entity: its parts, and which of them it omits. */
export function predictRotation(unit: Unit, from: Baselines, offset: number): void {
  const { words } = from;
  const baseline = from.baseline + offset;
  motion.speed = 0;
  if (from.early >= 0) {
    beginPath(unit, words, baseline, from.early + offset, from.earlySpan);
    motion.steady = passes(unit, words, from.previous + offset, from.span);
    if (motion.steady) return followPath(from.age);
  }
  motion.steady = false;
  beginPath(unit, words, baseline, from.previous + offset, from.span);
  for (let i = 0; i < 4; ++i)
    motion.speed += Math.floor(Math.floor((Math.abs(q1[i]! - q2[i]!) * from.age) / pathSpan) / 2);
  followPath(from.age);
}

/** Leaves the rotation of these words. */
export function restRotation(unit: Pick<Unit, "max">, words: Uint32Array, at: number): void {
  unpack(words, at, unit.max[1]!, q1);
  for (let i = 0; i < 4; ++i) motion.p[i] = 64 * q1[i]!;
  motion.turned = greatest(motion.p);
  motion.speed = 0;
}

/** Leaves a rotation that a course has. */
export function courseRotation(rotation: Float64Array, speed: number): void {
  for (let i = 0; i < 4; ++i) motion.p[i] = Math.floor(rotation[i]! * 2 ** 20 + 0.5);
  motion.turned = greatest(motion.p);
  motion.speed = speed;
}
