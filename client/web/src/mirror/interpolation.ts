// Components at a moment between two received states, for programs that draw.
import { clamp } from "../core/integers.js";
import { motion, restRotation, rotationCodes } from "../wire/motion.js";
import { type RowLayout, type Unit, unitKind } from "../wire/row_layout.js";
import { blend, motionTicksMax } from "./blend.js";
import type { Known } from "./known.js";
import type { Mirror } from "./mirror.js";
import type { Column, Pool } from "./pool.js";
import { type Values, makeValues, writeColumn, writeCourseValue } from "./values.js";
import { type ComponentObject, toObject } from "./values_object.js";
import type { Prototype } from "./world.js";

/** States of an entity around a moment, as places of its versions; `later` is -1 without one. */
interface Around {
  readonly earlier: number;
  readonly later: number;
}

function statesAround({ versions }: Known, tick: number): Around {
  let earlier = -1;
  for (let which = 0; which < versions.count; ++which) {
    if (versions.isLost(which)) continue;
    if (versions.tick(which) > tick) return earlier < 0 ? { earlier: which, later: -1 } : { earlier, later: which };
    earlier = which;
  }
  return { earlier, later: -1 };
}

/** Returns whether a field with the attribute `cut` differs, in any component. */
function isCut({ layout }: Prototype, states: Uint32Array, a: number, b: number): boolean {
  return layout.rows.some(({ layout: row, first }) =>
    row.units.some((unit) => {
      if (!unit.field.cut) return false;
      for (let i = first + unit.first; i < first + unit.first + unit.words; ++i)
        if (states[a + i] !== states[b + i]) return true;
      return false;
    }),
  );
}

const fromParts = new Float64Array(4);

/** Turns a rotation of integers, as words, toward another one. */
export function turnWords(
  unit: Pick<Unit, "max">,
  words: Uint32Array,
  at: number,
  to: Uint32Array,
  toAt: number,
  part: number,
): void {
  restRotation(unit, words, at);
  fromParts.set(motion.p);
  restRotation(unit, to, toAt);
  const { p } = motion;
  const side = fromParts.reduce((sum, each, i) => sum + each * p[i]!, 0) < 0 ? -1 : 1;
  let omitted = 0;
  for (let i = 0; i < 4; ++i) {
    const between = fromParts[i]! * (1 - part) + side * p[i]! * part;
    p[i] = Math.sign(between) * Math.floor(Math.abs(between) + 0.5);
    if (Math.abs(p[i]!) > Math.abs(p[omitted]!)) omitted = i;
  }
  words[at] = omitted;
  rotationCodes(omitted, unit.max[1]!);
  for (let i = 0; i < 3; ++i) words[at + 1 + i] = motion.numbers[i]!;
}

function turnRow(row: RowLayout, words: Uint32Array, to: Uint32Array, toAt: number, part: number): void {
  for (const unit of row.units)
    if (unit.kind === unitKind.rotation && unit.field.smallestThree)
      turnWords(unit, words, unit.first, to, toAt + unit.first, part);
}

/** Returns a number that differs between two states of an entity if no motion leads from one to the other. */
export function motionOf(mirror: Mirror, index: number, generation: number): number {
  const known = mirror.state.find(index, generation);
  let hash = generation;
  const add = (word: number): void => void (hash = Math.imul(hash ^ word, 0x01000193));
  if (known === null) return hash;
  const { prototype, versions } = known;
  const at = versions.wordsAt(versions.count - 1);
  add(prototype.hashLow);
  for (const { layout: row, first } of prototype.layout.rows)
    for (const { field, first: begin, words } of row.units)
      for (let i = 0; field.cut && i < words; ++i) add(versions.states[at + first + begin + i]!);
  return hash >>> 0;
}

/** Returns the tick of the values that the mirror has of an entity. Those that follow a course are of the newest tick. */
export function valueTick(mirror: Mirror, index: number, generation: number): number {
  const known = mirror.state.find(index, generation);
  return known !== null && known.underWay >= 0 ? mirror.tick : mirror.state.tickOf(index, generation);
}

/** Returns the tick of the values before those; 0 if they are not known. */
export function formerValueTick(mirror: Mirror, index: number, generation: number): number {
  const known = mirror.state.find(index, generation);
  if (known === null) return 0;
  const { versions, underWay } = known;
  return underWay >= 0 ? mirror.tick - 1 : versions.count > 1 ? versions.tick(versions.count - 2) : 0;
}

/** Everything about a component between two states. */
interface Picture {
  readonly owner: boolean;
  readonly states: Uint32Array;
  readonly from: number; // first word of its row in the earlier state
  readonly to: number; // that in the later state; -1 if the earlier one alone counts
  readonly fromTick: number;
  readonly toTick: number;
  readonly part: number; // 0 at the earlier state, 1 at the later one
  readonly moment: number; // for courses
}

function pictureOf(mirror: Mirror, known: Known, row: number, view: number): Picture {
  const { versions, prototype, owner } = known;
  const { earlier, later } = statesAround(known, view);
  const from = versions.wordsAt(earlier);
  const fromTick = versions.tick(earlier);
  const isMoving = later >= 0 && !isCut(prototype, versions.states, from, versions.wordsAt(later));
  const toTick = isMoving ? versions.tick(later) : 0;
  const begin = Math.max(fromTick, toTick - motionTicksMax);
  return {
    owner,
    states: versions.states,
    from: from + row,
    to: isMoving ? versions.wordsAt(later) + row : -1,
    fromTick,
    toTick,
    part: isMoving ? Math.max(0, (view - begin) / (toTick - begin)) : 0,
    moment: clamp(view, fromTick, Math.max(mirror.tick, fromTick)),
  };
}

/** Writes the value that a course has at a whole tick, out of the state that counts then. */
function writeAtTick({ layout }: Column, picture: Picture, tick: number, values: Values): void {
  const place = layout.places[picture.owner ? 1 : 0];
  const began = picture.to < 0 ? Infinity : picture.states[picture.to + place.course!.tickWord]! || picture.toTick;
  const row = tick >= began ? picture.to : picture.from;
  writeCourseValue(layout, place, picture.states, row, tick, values, 0);
}

function drawCourse(column: Column, picture: Picture): Values {
  const { layout } = column;
  const values = makeValues(layout.field, layout.size);
  const tick = Math.floor(picture.moment);
  writeAtTick(column, picture, tick, values);
  const part = picture.moment - tick;
  if (part === 0) return values;
  const to = makeValues(layout.field, layout.size);
  writeAtTick(column, picture, tick + 1, to);
  blend(layout.field, values, to, part);
  return values;
}

function drawColumn(column: Column, picture: Picture, turned: Uint32Array): Values {
  const { layout } = column;
  if (layout.places[picture.owner ? 1 : 0].course !== null) return drawCourse(column, picture);
  const values = makeValues(layout.field, layout.size);
  writeColumn(layout, picture.owner, turned, 0, picture.fromTick, values, 0);
  if (picture.part === 0) return values;
  const to = makeValues(layout.field, layout.size);
  writeColumn(layout, picture.owner, picture.states, picture.to, picture.toTick, to, 0);
  blend(layout.field, values, to, picture.part);
  return values;
}

/** Returns the values of each column of a component at a moment in ticks, like sample(). */
export function sampleValues(
  mirror: Mirror,
  pool: Pool,
  index: number,
  generation: number,
  view: number,
): readonly Values[] | null {
  const place = pool.find(index);
  if (place < 0 || !mirror.world.has(index, generation)) return null;
  const known = mirror.state.find(index, generation);
  const which = known?.prototype.pools.indexOf(pool) ?? -1;
  if (known === null || which < 0)
    return pool.columns.map(({ layout: { size }, values }) => values.slice(place * size, (place + 1) * size));
  const picture = pictureOf(mirror, known, known.prototype.layout.rows[which]!.first, view);
  const turned = picture.states.slice(picture.from, picture.from + pool.row.words);
  if (picture.part > 0) turnRow(pool.row, turned, picture.states, picture.to, picture.part);
  return pool.columns.map((column) => drawColumn(column, picture, turned));
}

/**
 * Returns a component at a moment in ticks; null if the entity does not have it. Fields that follow a course have the values
 * of both ticks around the moment, blended.
 */
export function sample(
  mirror: Mirror,
  pool: Pool,
  index: number,
  generation: number,
  view: number,
): ComponentObject | null {
  const values = sampleValues(mirror, pool, index, generation, view);
  if (values === null) return null;
  return toObject(
    pool.columns,
    (column) => values[column]!,
    () => 0,
  );
}
