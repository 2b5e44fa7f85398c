// Components of one type and instance name: a sparse set of entities, and a column for each field.
import type { ComponentRef } from "../wire/messages.js";
import type { RowLayout } from "../wire/row_layout.js";
import { isUnderWay } from "../wire/course.js";
import { type ColumnLayout, type Values, columnLayouts, makeValues, writeColumn, writeCourseValue } from "./values.js";

export interface Column {
  readonly layout: ColumnLayout;
  /** Values by the entity's place in the pool; `layout.size` elements for each. Replaced when the pool grows. */
  values: Values;
}

const roomMin = 4; // entities

export class Pool {
  /** Indices of the entities that have the component, by place. Valid up to `count`. */
  indices = new Uint32Array(0);
  count = 0;
  /** For which update each place was listed as changed. */
  listed = new Uint32Array(0);
  private made: readonly Column[] | null = null;
  private readonly places = new Map<number, number>(); // by index of the entity: a server chooses indices far apart

  constructor(
    readonly ref: ComponentRef,
    readonly name: string,
    readonly row: RowLayout,
  ) {}

  /** Columns of the fields, made when they are first needed: a server can announce pools that no entity is in. */
  get columns(): readonly Column[] {
    return (this.made ??= columnLayouts(this.row).map((layout) => ({
      layout,
      values: makeValues(layout.field, this.indices.length * layout.size),
    })));
  }

  /** Returns the place of an entity, given by its index; -1 if it does not have the component. */
  find(index: number): number {
    return this.places.get(index) ?? -1;
  }

  add(index: number): number {
    if (this.count === this.indices.length) this.grow();
    this.indices[this.count] = index;
    this.listed[this.count] = 0;
    this.places.set(index, this.count);
    return this.count++;
  }

  /** Removes an entity that has the component. The last one takes its place. */
  remove(index: number): void {
    const place = this.places.get(index)!;
    const last = --this.count;
    this.places.delete(index);
    if (place === last) return;
    const moved = this.indices[last]!;
    this.indices[place] = moved;
    this.listed[place] = this.listed[last]!;
    this.places.set(moved, place);
    for (const { layout, values } of this.columns)
      values.copyWithin(place * layout.size, last * layout.size, (last + 1) * layout.size);
  }

  /** Writes the component of a place, from the words of a state whose row begins at `row`. */
  write(place: number, owner: boolean, words: Uint32Array, row: number, tick: number): void {
    for (const { layout, values } of this.columns)
      writeColumn(layout, owner, words, row, tick, values, place * layout.size);
  }

  /** Writes the fields that follow a course. */
  followCourses(place: number, owner: boolean, words: Uint32Array, row: number, tick: number): void {
    for (const { layout, values } of this.columns) {
      const from = layout.places[owner ? 1 : 0];
      if (from.course !== null && isUnderWay(from.course, words, row))
        writeCourseValue(layout, from, words, row, tick, values, place * layout.size);
    }
  }

  private grow(): void {
    const size = Math.max(2 * this.indices.length, roomMin);
    const indices = new Uint32Array(size);
    const listed = new Uint32Array(size);
    indices.set(this.indices);
    listed.set(this.listed);
    this.indices = indices;
    this.listed = listed;
    for (const column of this.columns) {
      const values = makeValues(column.layout.field, size * column.layout.size);
      values.set(column.values as never);
      column.values = values;
    }
  }
}
