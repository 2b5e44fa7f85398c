// A rotation in a component: a unit quaternion, or four integers that are smallest_three.
import { type Component, type Field, kind } from "../reflect/schema.js";
import { courseRotation, motion, restRotation, rotationCodes } from "../wire/motion.js";
import type { RowLayout, Unit } from "../wire/row_layout.js";
import type { RowViews } from "./component_rows.js";

/** Returns whether a field has one value of its own and is sent, so that it can be interpolated. */
export function isSingleField(field: Field): boolean {
  return field.count === 1 && field.countField < 0 && !field.notSent;
}

/** x, y, z, w. */
export type Rotation = Float64Array;

/** Leaves a · b in `out`. */
export function multiply(a: Rotation, b: Rotation, out: Rotation): void {
  const [ax, ay, az, aw] = [a[0]!, a[1]!, a[2]!, a[3]!];
  const [bx, by, bz, bw] = [b[0]!, b[1]!, b[2]!, b[3]!];
  out[0] = aw * bx + ax * bw + ay * bz - az * by;
  out[1] = aw * by - ax * bz + ay * bw + az * bx;
  out[2] = aw * bz + ax * by - ay * bx + az * bw;
  out[3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** Makes the length 1. Returns false if all parts are 0, or if one is not finite. */
export function normalise(rotation: Rotation): boolean {
  let square = 0;
  for (let i = 0; i < 4; ++i) square += rotation[i]! * rotation[i]!;
  if (!Number.isFinite(square) || square <= 0) return false;
  const length = Math.sqrt(square);
  for (let i = 0; i < 4; ++i) rotation[i]! /= length;
  return true;
}

const words = new Uint32Array(4);
const unit = new Float64Array(4);

export class StoredRotation {
  private constructor(
    private readonly size: number, // bytes of a component
    private readonly fields: readonly Field[], // one, or those of the four integers
    readonly unit: Unit | null, // null for a unit quaternion
  ) {}

  /** Returns the rotations of a type that are sent, by offset. Those in arrays are left out. */
  static allOf(component: Component, layout: RowLayout): StoredRotation[] {
    const all: StoredRotation[] = [];
    const { fields, size } = component;
    for (let i = 0; i < fields.length; ++i) {
      const field = fields[i]!;
      if (!isSingleField(field)) continue;
      if (field.smallestThree) {
        const found = layout.units.find((each) => each.field === field)!;
        all.push(new StoredRotation(size, fields.slice(i, i + 4), found)); // the four integers are adjacent fields
        i += 3;
      } else if (field.kind === kind.rotation) {
        all.push(new StoredRotation(size, [field], null));
      }
    }
    return all;
  }

  /** Reads the omitted part and the codes of the integers. */
  loadWords(views: RowViews, slot: number, out: Uint32Array): void {
    for (let i = 0; i < 4; ++i) {
      const field = this.fields[i]!;
      out[i] = Number(views.of(field.kind)[(slot * this.size + field.offset) / field.size]);
    }
  }

  storeWords(from: ArrayLike<number>, views: RowViews, slot: number): void {
    for (let i = 0; i < 4; ++i) {
      const field = this.fields[i]!;
      (views.of(field.kind) as Uint32Array)[(slot * this.size + field.offset) / field.size] = from[i]!;
    }
  }

  /** Reads the rotation, of length 1. Returns false if all parts are 0, or if one is not finite. */
  load(views: RowViews, slot: number, out: Rotation): boolean {
    if (this.unit === null) {
      const at = (slot * this.size + this.fields[0]!.offset) >> 2;
      for (let i = 0; i < 4; ++i) out[i] = views.f32[at + i]!;
    } else {
      this.loadWords(views, slot, words);
      restRotation(this.unit, words, 0);
      out.set(motion.p);
    }
    return normalise(out);
  }

  /** Writes a rotation of any length but 0. Integers become the nearest ones. */
  store(rotation: Rotation, views: RowViews, slot: number): void {
    unit.set(rotation);
    normalise(unit);
    if (this.unit === null) {
      const at = (slot * this.size + this.fields[0]!.offset) >> 2;
      for (let i = 0; i < 4; ++i) views.f32[at + i] = unit[i]!;
      return;
    }
    courseRotation(unit, 0);
    words[0] = motion.turned;
    rotationCodes(motion.turned, this.unit.max[1]!);
    for (let i = 0; i < 3; ++i) words[1 + i] = motion.numbers[i]!;
    this.storeWords(words, views, slot);
  }
}
