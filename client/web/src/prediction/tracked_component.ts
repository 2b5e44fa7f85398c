// One component type of a prediction: its rows, the mirror's pool of it, and the bytes of it that count. Steps write
// predicted fields. The mirror decides about all other fields, except those that are not sent, which only the
// prediction has.
import { limits } from "../reflect/declarations.js";
import { type Component, type Field, isInteger } from "../reflect/schema.js";
import type { Column, Pool } from "../mirror/pool.js";
import { type ColumnLayout, type Values, columnLayouts, makeValues } from "../mirror/values.js";
import type { World } from "../mirror/world.js";
import { type ComponentObject, toObject } from "../mirror/values_object.js";
import { writeFieldWords } from "../wire/field_words.js";
import type { RowLayout } from "../wire/row_layout.js";
import { ComponentRows } from "./component_rows.js";

const words = new Uint32Array(2 + limits.componentBytes / 4); // those of one value

/** Elements of a typed array as bytes. Replaced when the array is. */
class ValueBytes {
  private of: Values | null = null;
  private view: Uint8Array = new Uint8Array(0);

  bytes(values: Values): Uint8Array {
    if (this.of === values) return this.view;
    this.of = values;
    return (this.view = new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
}

/** A field, and where its bytes are in the mirror's column. */
interface TrackedField {
  readonly field: Field;
  readonly mirrored: ValueBytes;
  readonly own: Uint8Array; // bytes of the own column
  readonly bytes: number; // those of an entity in a column
}

export class TrackedComponent {
  readonly rows: ComponentRows;
  /** Components of the mirror that steps read, by their place in its pool. */
  readonly foreign: ComponentRows;
  readonly layout: RowLayout;
  /** Whether a predicted field is sent to the entity's owner alone. */
  readonly isOwnersAlone: boolean;
  private readonly fields: readonly TrackedField[];
  private readonly columns: readonly Column[]; // for toObject(): they hold one component
  private pool: Pool | null = null;
  private packed = new Float64Array(0); // by place in the pool: number of the update in which `foreign` has it

  constructor(
    private readonly world: World,
    readonly component: Component,
    /** Whether steps write it: it has predicted fields. */
    readonly isPredicted: boolean,
  ) {
    this.rows = new ComponentRows(component, isPredicted);
    this.foreign = new ComponentRows(component, false);
    this.layout = world.rowOf(component.id);
    this.isOwnersAlone = component.fields.some((field) => field.predicted && field.ownerOnly);
    this.columns = columnLayouts(this.layout).map((layout) => ({
      layout,
      values: makeValues(layout.field, layout.size),
    }));
    this.fields = this.columns.map(({ layout, values }) => ({
      field: layout.field,
      mirrored: new ValueBytes(),
      own: new Uint8Array(values.buffer),
      bytes: values.byteLength,
    }));
  }

  /** Returns the mirror's pool; null if no entity has had the component yet. */
  mirrorPool(): Pool | null {
    const { name } = this.component;
    return (this.pool ??= this.world.pools.get(`${name}/${name}`) ?? null);
  }

  /** Returns the place of an entity in the mirror's pool; -1 without the component. */
  mirrored(index: number): number {
    return this.mirrorPool()?.find(index) ?? -1;
  }

  /** Returns whether a row equals the mirror's component, as far as this client predicts it, or only reads it. */
  isEqual(row: Uint8Array, slot: number, place: number, owner: boolean): boolean {
    for (let which = 0; which < this.fields.length; ++which) {
      const { field } = this.fields[which]!;
      if (field.ownerOnly && !owner) continue;
      if (this.isPredicted && !field.predicted) continue;
      if (!this.isSameField(which, row, slot, place)) return false;
    }
    return true;
  }

  private isSameField(which: number, row: Uint8Array, slot: number, place: number): boolean {
    const { field, mirrored, bytes: step } = this.fields[which]!;
    const bytes = mirrored.bytes(this.pool!.columns[which]!.values);
    const width = field.size;
    let from = place * step;
    let at = slot * this.component.size + field.offset;
    for (let element = 0; element < field.count; ++element, from += width, at += field.stride)
      for (let i = 0; i < width; ++i) if (bytes[from + i] !== row[at + i]) return false;
    return true;
  }

  /** Copies what the server sends from the mirror's component at a place. Other bytes stay. */
  copyRow(place: number, owner: boolean, rows: Uint8Array, slot: number): void {
    for (let which = 0; which < this.fields.length; ++which) {
      if (this.fields[which]!.field.ownerOnly && !owner) continue;
      const { values } = this.pool!.columns[which]!;
      this.copyField(which, values, place, rows, slot);
    }
  }

  private copyField(which: number, values: Values, place: number, rows: Uint8Array, slot: number): void {
    const { field, mirrored, bytes: step } = this.fields[which]!;
    const bytes = mirrored.bytes(values);
    let from = place * step;
    let at = slot * this.component.size + field.offset;
    for (let element = 0; element < field.count; ++element, from += field.size, at += field.stride)
      for (let i = 0; i < field.size; ++i) rows[at + i] = bytes[from + i]!;
  }

  /** Writes a row whose fields have these values, one array for each column. */
  pack(values: readonly Values[], rows: ComponentRows, slot: number): void {
    rows.setDefault(slot);
    for (let which = 0; which < this.fields.length; ++which)
      this.copyField(which, values[which]!, 0, rows.views.bytes, slot);
  }

  /** Returns the place of the mirror's component in `foreign`, which has it as of an update. -1 without one. */
  foreignPlace(index: number, update: number): number {
    const place = this.mirrored(index);
    if (place < 0) return -1;
    this.foreign.reserve(place + 1);
    if (this.packed.length <= place) {
      const packed = new Float64Array(2 * (place + 1));
      packed.set(this.packed);
      this.packed = packed;
    }
    if (this.packed[place] === update) return place;
    this.packed[place] = update;
    this.foreign.setDefault(place);
    this.copyRow(place, true, this.foreign.views.bytes, place);
    return place;
  }

  /** Returns the component of a slot in some rows as an object, like Client.get(). */
  toObject(rows: Uint8Array, slot: number): ComponentObject {
    this.fields.forEach(({ field, own }) => {
      let at = slot * this.component.size + field.offset;
      for (let element = 0; element < field.count; ++element, at += field.stride)
        own.set(rows.subarray(at, at + field.size), element * field.size);
    });
    return this.objectOf(this.columns, 0);
  }

  /** Returns the mirror's component of an entity; null without one. */
  mirroredToObject(index: number): ComponentObject | null {
    const place = this.mirrored(index);
    return place < 0 ? null : this.objectOf(this.pool!.columns, place);
  }

  private objectOf(columns: readonly Column[], place: number): ComponentObject {
    return toObject(
      columns,
      (column) => columns[column]!.values,
      ({ layout }) => place * layout.size,
    );
  }

  /** Writes a SpawnKey, which steps themselves do not write. */
  writeKey(slot: number, tick: number, player: number, command: number, ordinal: number): void {
    const values: Readonly<Record<string, number>> = { tick, player, command, ordinal };
    for (const { path, kind, offset, size } of this.component.fields)
      (this.rows.views.of(kind) as Uint32Array)[(slot * this.component.size + offset) / size] = values[path] ?? 0;
  }

  // Rounding --------------------------------------------------------------------------------------------------------

  /** Rounds the rows that were written to what the server sends. */
  clean(slots: number): void {
    const { written, has } = this.rows;
    for (let slot = 0; slot < slots; ++slot) {
      if (written[slot] === 0) continue;
      written[slot] = 0;
      if (has[slot] === 1) for (const { layout } of this.columns) if (layout.field.predicted) this.round(layout, slot);
    }
  }

  /** Returns the elements of an array that are in use. */
  private usedOf(field: Field, row: number): number {
    const counter = this.component.fields[field.countField];
    if (counter === undefined || !isInteger(counter.kind)) return field.count;
    const count = Number(this.rows.views.of(counter.kind)[(row + counter.offset) / counter.size]);
    return Math.max(0, Math.min(count, field.count));
  }

  private round({ field, write }: ColumnLayout, slot: number): void {
    const { bytes, data } = this.rows.views;
    const view = this.rows.views.of(field.kind);
    const row = slot * this.component.size;
    const used = this.usedOf(field, row);
    let at = row + field.offset;
    for (let element = 0; element < field.count; ++element, at += field.stride) {
      if (element >= used) {
        bytes.fill(0, at, at + field.size);
        continue;
      }
      writeFieldWords(field, data, at, words, 0);
      write(words, 0, view, at / view.BYTES_PER_ELEMENT);
    }
  }
}
