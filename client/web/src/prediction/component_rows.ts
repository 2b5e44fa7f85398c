// Components of one type as rows of bytes, in the layout of the schema's struct. A row belongs to a slot: the number of an
// entity in the predicted set.
import type { Component, Kind } from "../reflect/schema.js";
import { kind } from "../reflect/schema.js";
import type { Values } from "../mirror/values.js";
import { type RowObject, rowClass } from "./row_class.js";
import type { Row } from "./rules.js";

/** Views of the same bytes as numbers of each kind. */
export class RowViews {
  readonly bytes: Uint8Array;
  readonly data: DataView;
  readonly i8: Int8Array;
  readonly i16: Int16Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly i64: BigInt64Array;
  readonly u64: BigUint64Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;

  constructor(size: number) {
    const buffer = new ArrayBuffer((size + 7) & ~7);
    this.bytes = new Uint8Array(buffer);
    this.data = new DataView(buffer);
    this.i8 = new Int8Array(buffer);
    this.i16 = new Int16Array(buffer);
    this.u16 = new Uint16Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.i64 = new BigInt64Array(buffer);
    this.u64 = new BigUint64Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
  }

  /** Returns the view whose elements a field of this kind consists of. */
  of(field: Kind): Values {
    return this[viewOf[field]];
  }
}

type ViewName = Exclude<keyof RowViews, "data" | "of">;

const viewOf: Readonly<Record<Kind, ViewName>> = {
  [kind.bool]: "bytes",
  [kind.int8]: "i8",
  [kind.uint8]: "bytes",
  [kind.int16]: "i16",
  [kind.uint16]: "u16",
  [kind.int32]: "i32",
  [kind.uint32]: "u32",
  [kind.int64]: "i64",
  [kind.uint64]: "u64",
  [kind.float32]: "f32",
  [kind.float64]: "f64",
  [kind.rotation]: "f32",
  [kind.entity]: "u32",
  [kind.text]: "bytes",
  [kind.stringId]: "u32",
};

const slotsAtFirst = 32;

export class ComponentRows {
  /** Replaced when the rows grow. */
  views: RowViews;
  /** 1 for each slot that has the component. */
  has = new Uint8Array(slotsAtFirst);
  /** 1 for each row that was written since the last call of clean(). */
  written = new Uint8Array(slotsAtFirst);
  /** The slots that have the component, ascending. */
  readonly slots: number[] = [];
  private capacity = slotsAtFirst;
  private readonly rows: RowObject[] = [];
  private readonly Row: new (rows: ComponentRows, slot: number) => RowObject;

  constructor(
    readonly component: Component,
    private readonly isWritable: boolean,
  ) {
    this.views = new RowViews(slotsAtFirst * component.size);
    this.Row = rowClass(component);
  }

  /** Makes room for slots below a number. */
  reserve(slots: number): void {
    if (slots <= this.capacity) return;
    while (this.capacity < slots) this.capacity *= 2;
    const { bytes } = this.views;
    this.views = new RowViews(this.capacity * this.component.size);
    this.views.bytes.set(bytes);
    this.has = grown(this.has, this.capacity);
    this.written = grown(this.written, this.capacity);
  }

  /** Returns the component of a slot. The object is always the same, and made once. */
  row(slot: number): Row {
    while (this.rows.length <= slot) this.rows.push(new this.Row(this, this.rows.length));
    return this.rows[slot];
  }

  /** Gives a slot the component with its default values. A slot that lacks it is behind those that have it. */
  setDefault(slot: number): void {
    this.views.bytes.set(this.component.defaults, slot * this.component.size);
    if (this.has[slot] === 0) this.slots.push(slot);
    this.has[slot] = 1;
    this.written[slot] = 1;
  }

  /** Removes the slots from a number on. */
  truncate(count: number): void {
    const { slots } = this;
    while (slots.length > 0 && slots[slots.length - 1]! >= count) this.has[slots.pop()!] = 0;
  }

  /** Copies a row. */
  copy(from: Uint8Array, fromSlot: number, slot: number): void {
    const { size } = this.component;
    const { bytes } = this.views;
    for (let i = 0; i < size; ++i) bytes[slot * size + i] = from[fromSlot * size + i]!;
  }

  /** Notes that a row is about to be written. Throws if steps only read the component. */
  touch(slot: number): void {
    if (!this.isWritable) throw new Error(`the step writes ${this.component.name}, which it may only read here`);
    this.written[slot] = 1;
  }
}

export function grown(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(size);
  more.set(bytes);
  return more;
}
