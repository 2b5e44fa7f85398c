// Layout of an entity's states: the rows of its components, in the order of its prototype.
import { receivers, type Course, type RowLayout, type Unit } from "./row_layout.js";

/** A unit at its word in the entity. */
export interface PlacedUnit {
  readonly unit: Unit;
  readonly at: number;
  readonly row: number; // first word of its row
  readonly course: Course | null;
  readonly canExtrapolate: boolean;
}

export interface EntityLayout {
  readonly rows: readonly { readonly layout: RowLayout; readonly first: number }[];
  readonly words: number;
  readonly defaults: Uint32Array;
  /** Units by row that all but the owner receive, and those of the owner. */
  readonly units: readonly [others: readonly PlacedUnit[][], owner: readonly PlacedUnit[][]];
  readonly hasCourses: boolean;
}

function place(layout: RowLayout, first: number, owner: boolean): PlacedUnit[] {
  const received = layout.units.filter(
    ({ receivers: to }) => to === receivers.everyone || (to === receivers.owner) === owner,
  );
  return received.map((unit) => ({
    unit,
    at: first + unit.first,
    row: first,
    course: unit.course,
    canExtrapolate: unit.kind <= 1 && unit.course === null,
  }));
}

export function makeEntityLayout(layouts: readonly RowLayout[]): EntityLayout {
  let words = 0;
  const rows = layouts.map((layout) => {
    const first = words;
    words += layout.words;
    return { layout, first };
  });
  const defaults = new Uint32Array(words);
  for (const { layout, first } of rows) defaults.set(layout.defaults, first);
  const units = (owner: boolean): PlacedUnit[][] => rows.map(({ layout, first }) => place(layout, first, owner));
  return {
    rows,
    words,
    defaults,
    units: [units(false), units(true)],
    hasCourses: layouts.some((each) => each.courses.length > 0),
  };
}
