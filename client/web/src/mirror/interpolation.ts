// Components at a moment between two received states, for programs that draw.
import { clamp } from "../core/integers.js";
import { kind } from "../reflect/schema.js";
import { motion, restRotation, rotationCodes } from "../wire/motion.js";
import { type RowLayout, type Unit, unitKind } from "../wire/row_layout.js";
import type { Known } from "./known.js";
import type { Mirror } from "./mirror.js";
import type { Column, Pool } from "./pool.js";
import { type ColumnLayout, type Values, makeValues, writeColumn, writeCourseValue } from "./values.js";
import { type ComponentObject, toObject } from "./values_object.js";
import type { Prototype } from "./world.js";

/** Most ticks in which a change is shown as a motion. */
const motionTicksMax = 4;

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

/** Moves a value toward another one. Those of other kinds than floats and rotations stay. */
function blend({ field }: ColumnLayout, values: Values, to: Values, part: number): void {
  if (field.count > 1 || field.countField >= 0) return;
  if (field.kind === kind.rotation) return turn(values as Float32Array, to as Float32Array, part);
  if (field.kind !== kind.float32 && field.kind !== kind.float64) return;
  const a = values[0] as number;
  const between = a + ((to[0] as number) - a) * part;
  if (Number.isFinite(between)) values[0] = between;
}

function turn(values: Float32Array, to: Float32Array, part: number): void {
  const side = values.reduce((sum, each, i) => sum + each * to[i]!, 0) < 0 ? -1 : 1; // q and -q are one rotation
  const between = Array.from(values, (each, i) => each * (1 - part) + side * to[i]! * part);
  const square = between.reduce((sum, each) => sum + each * each, 0);
  if (Number.isFinite(square) && square > 0) between.forEach((each, i) => (values[i] = each / Math.sqrt(square)));
}

const fromParts = new Float64Array(4);

/** Turns a rotation of integers, as words, toward another one. */
function turnWords(unit: Unit, words: Uint32Array, at: number, to: Uint32Array, toAt: number, part: number): void {
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
  blend(layout, values, to, part);
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
  blend(layout, values, to, picture.part);
  return values;
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
  const place = pool.find(index);
  if (place < 0 || !mirror.world.has(index, generation)) return null;
  const known = mirror.state.find(index, generation);
  const which = known?.prototype.pools.indexOf(pool) ?? -1;
  if (known === null || which < 0)
    return toObject(
      pool.columns,
      (column) => pool.columns[column]!.values,
      ({ layout }) => place * layout.size,
    );
  const picture = pictureOf(mirror, known, known.prototype.layout.rows[which]!.first, view);
  const turned = picture.states.slice(picture.from, picture.from + pool.row.words);
  if (picture.part > 0) turnRow(pool.row, turned, picture.states, picture.to, picture.part);
  const drawn = pool.columns.map((column) => drawColumn(column, picture, turned));
  return toObject(
    pool.columns,
    (column) => drawn[column]!,
    () => 0,
  );
}
