// Differences between what was shown of a component and what a correction makes of it. They decay evenly and end after a
// duration, so that corrections show as motion. No other curve that ends by then moves less in its fastest frame.
// Rotations turn along the shortest way. Fields that are neither floats nor rotations change at once. A position that is
// corrected by more than the snap distance does so too, with its whole component.
import { clamp } from "../core/integers.js";
import { type Field, isReal } from "../reflect/schema.js";
import type { RowViews } from "./component_rows.js";
import { StoredRotation, isSingleField, multiply } from "./stored_rotation.js";
import type { TrackedComponent } from "./tracked_component.js";

const valuesMax = 16; // floats, and four for each rotation; fields beyond change at once

const a = new Float64Array(4);
const b = new Float64Array(4);
const turned = new Float64Array(4);

/** How the errors of a component decay. */
export class SmoothedType {
  private readonly rotations: readonly StoredRotation[];
  private readonly floats: readonly Field[];
  private readonly size: number;

  /** `duration` is in ticks. Paths of the floats of a position begin with `positionField`. */
  constructor(
    { component, layout }: TrackedComponent,
    readonly duration: number,
    private readonly snapDistance: number,
    private readonly positionField: string,
  ) {
    this.size = component.size;
    this.rotations = StoredRotation.allOf(component, layout).slice(0, valuesMax / 4);
    this.floats = component.fields
      .filter((field) => isReal(field.kind) && isSingleField(field))
      .slice(0, valuesMax - 4 * this.rotations.length);
  }

  private at(slot: number, { offset, size }: Field): number {
    return (slot * this.size + offset) / size;
  }

  /**
   * Writes the error that leads from the component of slot `to` to that of `from`. Returns false if there is none, or if that
   * of the position is beyond the snap distance.
   */
  difference(views: RowViews, from: number, to: number, error: Float32Array): boolean {
    let differs = false;
    this.rotations.forEach((rotation, i) => {
      turnBetween(rotation, views, from, to);
      error.set(turned, 4 * i);
      differs ||= Math.abs(turned[0]!) + Math.abs(turned[1]!) + Math.abs(turned[2]!) > 1e-6;
    });
    let square = 0;
    for (let i = 0; i < this.floats.length; ++i) {
      const field = this.floats[i]!;
      const values = views.of(field.kind) as Float64Array;
      const apart = values[this.at(from, field)]! - values[this.at(to, field)]!;
      if (!Number.isFinite(apart)) return false;
      error[4 * this.rotations.length + i] = apart;
      differs ||= apart !== 0;
      if (field.path.startsWith(this.positionField)) square += apart * apart;
    }
    return differs && square <= this.snapDistance * this.snapDistance;
  }

  /** Adds a share of an error to the component of a slot. */
  add(error: Float32Array, share: number, views: RowViews, slot: number): void {
    for (let i = 0; i < this.rotations.length; ++i) {
      // A turn of nothing would only round.
      const first = 4 * i;
      if (error[first] === 0 && error[first + 1] === 0 && error[first + 2] === 0) continue;
      if (!this.rotations[i]!.load(views, slot, b)) continue;
      for (let part = 0; part < 4; ++part) a[part] = error[first + part]! * share + (part === 3 ? 1 - share : 0);
      multiply(a, b, turned);
      this.rotations[i]!.store(turned, views, slot);
    }
    for (let i = 0; i < this.floats.length; ++i) {
      const field = this.floats[i]!;
      const values = views.of(field.kind) as Float64Array;
      const sum = values[this.at(slot, field)]! + error[4 * this.rotations.length + i]! * share;
      if (Number.isFinite(sum)) values[this.at(slot, field)] = sum;
    }
  }
}

/**
 * Leaves the turn that leads from rotation `to` to `from`, with a positive last part: the shorter of both ways. None if one
 * of the components has no rotation.
 */
function turnBetween(rotation: StoredRotation, views: RowViews, from: number, to: number): void {
  turned.set([0, 0, 0, 1]);
  if (!rotation.load(views, from, a) || !rotation.load(views, to, b)) return;
  for (let i = 0; i < 3; ++i) b[i] = -b[i]!;
  multiply(a, b, turned);
  if (turned[3]! < 0) for (let i = 0; i < 4; ++i) turned[i] = -turned[i]!;
}

interface ShownError {
  moment: number; // when it was all of `values`
  duration: number;
  readonly values: Float32Array;
}

const shareAt = ({ moment, duration }: ShownError, at: number): number => clamp(1 - (at - moment) / duration, 0, 1);

/** Errors of entities, by component. Moments are ticks. */
export class ShownErrors {
  private errors = new Map<bigint, (ShownError | null)[]>();
  private readonly scratch = new Float32Array(valuesMax);

  constructor(readonly types: readonly SmoothedType[]) {}

  /**
   * Sets the error of a component: from now on that of slot `shown` decays to that of slot `actual`. `duration` is in ticks.
   */
  set(
    entity: bigint,
    type: number,
    views: RowViews,
    shown: number,
    actual: number,
    moment: number,
    duration: number,
  ): void {
    const exists = duration > 0 && this.types[type]!.difference(views, shown, actual, this.scratch);
    let errors = this.errors.get(entity);
    if (!exists) {
      if (errors !== undefined) errors[type] = null;
      return;
    }
    if (errors === undefined) this.errors.set(entity, (errors = this.types.map(() => null)));
    const error = (errors[type] ??= { moment: 0, duration: 1, values: new Float32Array(valuesMax) });
    error.moment = moment;
    error.duration = duration;
    error.values.set(this.scratch);
  }

  /** Adds what is left of the error at a moment to the component of a slot. */
  apply(entity: bigint, type: number, moment: number, views: RowViews, slot: number): void {
    const error = this.errors.get(entity)?.[type] ?? null;
    if (error === null) return;
    const share = shareAt(error, moment);
    if (share > 0) this.types[type]!.add(error.values, share, views, slot);
  }

  /** Gives the errors of entities to others, all at once. Those that go on under 0n end. */
  rename(renamed: ReadonlyMap<bigint, bigint>): void {
    const before = this.errors;
    this.errors = new Map();
    for (const [entity, errors] of before) {
      const now = renamed.get(entity) ?? entity;
      if (now !== 0n) this.errors.set(now, errors);
    }
  }

  /** Removes the errors of which nothing is left. */
  drop(moment: number): void {
    for (const [entity, errors] of this.errors) {
      let isLeft = false;
      for (let i = 0; i < errors.length; ++i) {
        const error = errors[i]!;
        if (error !== null && shareAt(error, moment) <= 0) errors[i] = null;
        isLeft ||= errors[i] !== null;
      }
      if (!isLeft) this.errors.delete(entity);
    }
  }

  clear(): void {
    this.errors.clear();
  }

  /** Returns how many entities have an error. */
  get size(): number {
    return this.errors.size;
  }
}
