// Components as they are to be shown: of predicted entities between two predicted ticks, of others between two states of
// the mirror. Corrections, and changes from one to the other, are smoothed.
import { sampleValues } from "../mirror/interpolation.js";
import type { Mirror } from "../mirror/mirror.js";
import type { ComponentObject } from "../mirror/values_object.js";
import { type Field, kind } from "../reflect/schema.js";
import { ComponentRows } from "./component_rows.js";
import { generationOf, indexOf } from "../core/entity.js";
import type { PredictedSet } from "./predicted_set.js";
import type { PredictionConfig, Smoothing } from "./prediction_config.js";
import { RowBlend } from "./row_blend.js";
import { ShownErrors, SmoothedType } from "./shown_errors.js";
import type { Snapshot, SnapshotRing } from "./snapshot_ring.js";
import { type SpawnKey, isSameSpawn } from "./spawn_key.js";
import { isSingleField } from "./stored_rotation.js";
import type { TrackedComponent } from "./tracked_component.js";

const durationDefault = 150; // ms
const snapDistanceDefault = 4;
const switchDurationDefault = 300; // ms
const positionFieldDefault = "position";

/** Moment to show: of predicted entities one tick, of the others an earlier one. */
export interface ShownMoment {
  predicted: number;
  view: number; // that of Client.viewTick()
}

// Slots of the pictures' rows.
const shownSlot = 0;
const laterSlot = 1;
const actualSlot = 2;

/** A predicted component, and memory to make pictures of it. */
interface Shown {
  readonly tracked: TrackedComponent;
  readonly pictures: ComponentRows;
  readonly blend: RowBlend;
  readonly cuts: readonly Field[];
  /** Rows by captured entity. */
  captured: Uint8Array;
  has: Uint8Array;
}

function smoothingOf(config: PredictionConfig, component: string): Smoothing {
  const all = config.smoothing ?? [];
  return all.find((each) => each.component === component) ?? all.find((each) => each.component === undefined) ?? {};
}

export class ShownState {
  private readonly errors: ShownErrors;
  private readonly shown: readonly Shown[];
  private readonly switchTicks: number;
  private readonly positions: readonly Field[];
  private positionPlace = -1; // among the predicted components
  private readonly hasCuts: boolean;
  private capturedAt = 0; // view tick
  private readonly capturedEntities: bigint[] = [];
  private readonly capturedKeys: (SpawnKey | null)[] = [];
  private readonly around: { earlier: Snapshot | null; later: Snapshot | null; part: number } = {
    earlier: null,
    later: null,
    part: 0,
  };

  constructor(
    private readonly mirror: Mirror,
    private readonly set: PredictedSet,
    private readonly ring: SnapshotRing,
    config: PredictionConfig,
    ticksPerSecond: number,
  ) {
    const toTicks = (ms: number): number => (ms * ticksPerSecond) / 1000;
    this.switchTicks = toTicks(config.switchDuration ?? switchDurationDefault);
    this.errors = new ShownErrors(
      set.predicted.map((tracked) => {
        const { duration, snapDistance } = smoothingOf(config, tracked.component.name);
        return new SmoothedType(
          tracked,
          toTicks(duration ?? durationDefault),
          snapDistance ?? snapDistanceDefault,
          config.position?.field ?? positionFieldDefault,
        );
      }),
    );
    this.shown = set.predicted.map((tracked) => ({
      tracked,
      pictures: new ComponentRows(tracked.component, false),
      blend: new RowBlend(tracked),
      cuts: tracked.component.fields.filter((field) => field.cut),
      captured: new Uint8Array(0),
      has: new Uint8Array(0),
    }));
    this.hasCuts = this.shown.some(({ cuts }) => cuts.length > 0);
    this.positions = this.findPosition(config);
  }

  private findPosition({ position = {} }: PredictionConfig): Field[] {
    const { component, field = positionFieldDefault } = position;
    for (let place = 0; place < this.shown.length; ++place) {
      const type = this.shown[place]!.tracked.component;
      if (component !== undefined && type.name !== component) continue;
      const found = type.fields.filter(
        (each) => each.kind === kind.float32 && isSingleField(each) && each.path.startsWith(field),
      );
      if (found.length === 0) continue;
      this.positionPlace = place;
      return found;
    }
    return [];
  }

  // Samples ---------------------------------------------------------------------------------------------------------

  /** Leaves the snapshots around a moment in `around`; `later` is null at a tick. */
  private findAround(moment: number): void {
    const { around, ring } = this;
    const tick = Math.floor(Math.max(moment, 0));
    const later = ring.has(tick + 1) ? ring.snapshot(tick + 1) : null;
    around.earlier = ring.has(tick) ? ring.snapshot(tick) : later;
    around.later = around.earlier === later ? null : later;
    around.part = moment - tick;
  }

  private hasRow(snapshot: Snapshot, place: number, slot: number): boolean {
    return slot < snapshot.count && snapshot.alive[slot] === 1 && this.set.predicted[place]!.rows.has[slot] === 1;
  }

  /** Writes the predicted component of a slot to one of the pictures. Returns false if it is not there at that moment. */
  private drawPredicted(slot: number, place: number, moment: number, into: number): boolean {
    this.findAround(moment);
    const { earlier, later, part } = this.around;
    if (earlier === null) return false;
    const hasEarlier = this.hasRow(earlier, place, slot);
    if (!(later === null ? hasEarlier : this.hasRow(later, place, slot))) return false;
    const { pictures, blend } = this.shown[place]!;
    const first = hasEarlier ? earlier : later!;
    pictures.copy(first.rows[place]!, slot, into);
    if (later === null || !hasEarlier || part <= 0 || this.isCut(slot)) return true;
    pictures.copy(later.rows[place]!, slot, laterSlot);
    blend.blend(pictures.views, into, laterSlot, part);
    return true;
  }

  /** Returns whether a field with the attribute `cut` differs between the snapshots around. */
  private isCut(slot: number): boolean {
    const { earlier, later } = this.around;
    if (!this.hasCuts) return false;
    return this.shown.some(({ cuts, tracked: { component } }, place) => {
      if (!this.hasRow(earlier!, place, slot) || !this.hasRow(later!, place, slot)) return false;
      const [a, b] = [earlier!.rows[place]!, later!.rows[place]!];
      return cuts.some(({ offset, size }) => {
        const at = slot * component.size + offset;
        for (let i = 0; i < size; ++i) if (a[at + i] !== b[at + i]) return true;
        return false;
      });
    });
  }

  /** Writes the mirror's component to one of the pictures. */
  private drawMirrored(entity: bigint, place: number, view: number, into: number): boolean {
    const { tracked, pictures } = this.shown[place]!;
    const pool = tracked.mirrorPool();
    const values = pool === null ? null : sampleValues(this.mirror, pool, indexOf(entity), generationOf(entity), view);
    if (values !== null) tracked.pack(values, pictures, into);
    return values !== null;
  }

  private draw(entity: bigint, place: number, { predicted, view }: ShownMoment, into: number): boolean {
    const slot = this.set.slotOf(entity);
    return slot < 0 ? this.drawMirrored(entity, place, view, into) : this.drawPredicted(slot, place, predicted, into);
  }

  /** Returns a predicted component as it is to be shown; null if the entity does not have it at that moment. */
  sample(entity: bigint, tracked: TrackedComponent, moment: ShownMoment): ComponentObject | null {
    const place = this.set.predicted.indexOf(tracked);
    const { pictures } = this.shown[place]!;
    if (!this.draw(entity, place, moment, shownSlot)) return null;
    this.errors.apply(entity, place, moment.view, pictures.views, shownSlot);
    return tracked.toObject(pictures.views.bytes, shownSlot);
  }

  /** Returns whether an entity of the set is destroyed at the shown moment. */
  isDestroyed(entity: bigint, { predicted }: ShownMoment): boolean {
    const slot = this.set.slotOf(entity);
    this.findAround(predicted);
    const shown = this.around.later ?? this.around.earlier;
    return slot >= 0 && shown !== null && (slot >= shown.count || shown.alive[slot] === 0);
  }

  // Corrections -----------------------------------------------------------------------------------------------------

  /** Notes what is shown at a moment, before the prediction is corrected. */
  capture(moment: ShownMoment): void {
    const { set, capturedEntities, capturedKeys } = this;
    this.capturedAt = moment.view;
    capturedEntities.length = capturedKeys.length = 0;
    this.reserveCaptured();
    for (let slot = 0; slot < set.count; ++slot) {
      if (set.alive[slot] === 0) continue;
      const at = capturedEntities.length;
      capturedEntities.push(set.handles[slot]!);
      capturedKeys.push(set.isLocal(slot) ? set.keyOf(slot) : null);
      for (let place = 0; place < this.shown.length; ++place) {
        const { captured, has, pictures, tracked } = this.shown[place]!;
        has[at] = this.drawPredicted(slot, place, moment.predicted, shownSlot) ? 1 : 0;
        const { size } = tracked.component;
        for (let i = 0; i < size && has[at] === 1; ++i) captured[at * size + i] = pictures.views.bytes[i]!;
      }
    }
  }

  private reserveCaptured(): void {
    for (const each of this.shown) {
      if (each.has.length >= this.set.count) continue;
      each.has = new Uint8Array(this.set.alive.length);
      each.captured = new Uint8Array(this.set.alive.length * each.tracked.component.size);
    }
  }

  /**
   * Compares with what was captured. The moment is the same, or after a pause a later one. From now on the differences decay.
   * Returns the greatest distance by which a position was corrected.
   */
  correct(moment: ShownMoment): number {
    this.renameLocals();
    let distanceMax = 0;
    for (let at = 0; at < this.capturedEntities.length; ++at) {
      if (this.capturedEntities[at] === 0n) continue;
      for (let place = 0; place < this.shown.length; ++place)
        if (this.shown[place]!.has[at] === 1) distanceMax = Math.max(distanceMax, this.correctOne(at, place, moment));
    }
    const captured = new Set(this.capturedEntities);
    for (let slot = 0; slot < this.set.members; ++slot)
      if (!captured.has(this.set.handles[slot]!)) this.beginMember(this.set.handles[slot]!, moment);
    return distanceMax;
  }

  /** Returns the distance by which the position of a captured entity was corrected. */
  private correctOne(at: number, place: number, moment: ShownMoment): number {
    const entity = this.capturedEntities[at]!;
    const { pictures, captured } = this.shown[place]!;
    const isPredicted = this.set.slotOf(entity) >= 0;
    if (!this.draw(entity, place, moment, actualSlot)) return 0;
    pictures.copy(captured, at, shownSlot);
    if (this.isSamePicture(place)) return 0;
    const distance = isPredicted && place === this.positionPlace ? this.distance(place) : 0;
    this.errors.apply(entity, place, this.capturedAt, pictures.views, shownSlot);
    const duration = isPredicted ? this.errors.types[place]!.duration : this.switchTicks;
    this.errors.set(entity, place, pictures.views, shownSlot, actualSlot, moment.view, duration);
    return distance;
  }

  private isSamePicture(place: number): boolean {
    const { pictures, tracked } = this.shown[place]!;
    const { bytes } = pictures.views;
    const { size } = tracked.component;
    for (let i = 0; i < size; ++i) if (bytes[shownSlot * size + i] !== bytes[actualSlot * size + i]) return false;
    return true;
  }

  private distance(place: number): number {
    const { pictures, tracked } = this.shown[place]!;
    const { size } = tracked.component;
    let square = 0;
    for (const { offset } of this.positions) {
      const { f32 } = pictures.views;
      square += (f32[(shownSlot * size + offset) >> 2]! - f32[(actualSlot * size + offset) >> 2]!) ** 2;
    }
    return Math.sqrt(square);
  }

  /** Begins to show an entity as predicted that was interpolated before. */
  private beginMember(entity: bigint, moment: ShownMoment): void {
    const slot = this.set.slotOf(entity);
    for (let place = 0; place < this.shown.length; ++place) {
      const { views } = this.shown[place]!.pictures;
      if (!this.drawMirrored(entity, place, moment.view, shownSlot)) continue;
      if (!this.drawPredicted(slot, place, moment.predicted, actualSlot)) continue;
      this.errors.apply(entity, place, moment.view, views, shownSlot);
      this.errors.set(entity, place, views, shownSlot, actualSlot, moment.view, this.switchTicks);
    }
  }

  /**
   * Finds the handles under which local entities go on: the server's, or another local one, since the spawns of a replayed
   * tick take the handles anew. Those that have ended go on under 0n.
   */
  private renameLocals(): void {
    const renamed = new Map<bigint, bigint>();
    this.capturedKeys.forEach((key, at) => {
      if (key === null) return;
      const entity = this.capturedEntities[at]!;
      const now = this.nowOf(key);
      if (now !== entity) renamed.set(entity, now);
    });
    if (renamed.size === 0) return;
    this.errors.rename(renamed);
    this.capturedEntities.forEach((entity, at) => (this.capturedEntities[at] = renamed.get(entity) ?? entity));
  }

  private nowOf(key: SpawnKey): bigint {
    const { set } = this;
    const matched = set.matched.find((each) => isSameSpawn(each.key, key));
    if (matched !== undefined && set.slotOf(matched.real) >= 0) return matched.real;
    const slot = set.findLocal(key);
    return slot < 0 ? 0n : set.handles[slot]!;
  }

  dropErrors(moment: number): void {
    this.errors.drop(moment);
  }
}
