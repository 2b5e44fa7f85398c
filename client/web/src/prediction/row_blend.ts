// A component between two others. Floats are interpolated linearly, rotations along the shortest way. All other fields,
// arrays, and values that are not finite stay as they are.
import { kind } from "../reflect/schema.js";
import { turnWords } from "../mirror/interpolation.js";
import type { RowViews } from "./component_rows.js";
import { StoredRotation, isSingleField, normalise } from "./stored_rotation.js";
import type { TrackedComponent } from "./tracked_component.js";

const from = new Float64Array(4);
const to = new Float64Array(4);
const fromWords = new Uint32Array(4);
const toWords = new Uint32Array(4);

export class RowBlend {
  private readonly singles: readonly number[]; // offsets
  private readonly doubles: readonly number[];
  private readonly quaternions: readonly number[];
  private readonly integers: readonly StoredRotation[];
  private readonly size: number;

  constructor({ component, layout }: TrackedComponent) {
    const offsetsOf = (of: number): number[] =>
      component.fields.filter((field) => isSingleField(field) && field.kind === of).map((field) => field.offset);
    this.singles = offsetsOf(kind.float32);
    this.doubles = offsetsOf(kind.float64);
    this.quaternions = offsetsOf(kind.rotation);
    this.integers = StoredRotation.allOf(component, layout).filter((each) => each.unit !== null);
    this.size = component.size;
  }

  /** Moves the component of a slot toward that of another one. `part` is 0 at the former, 1 at the latter. */
  blend(views: RowViews, slot: number, later: number, part: number): void {
    const { f32, f64 } = views;
    for (const offset of this.singles)
      move(f32, (slot * this.size + offset) >> 2, (later * this.size + offset) >> 2, part);
    for (const offset of this.doubles)
      move(f64, (slot * this.size + offset) >> 3, (later * this.size + offset) >> 3, part);
    for (const offset of this.quaternions)
      turn(f32, (slot * this.size + offset) >> 2, (later * this.size + offset) >> 2, part);
    for (const each of this.integers) {
      each.loadWords(views, slot, fromWords);
      each.loadWords(views, later, toWords);
      turnWords(each.unit!, fromWords, 0, toWords, 0, part);
      each.storeWords(fromWords, views, slot);
    }
  }
}

function move(values: Float32Array | Float64Array, at: number, later: number, part: number): void {
  const between = values[at]! + (values[later]! - values[at]!) * part;
  if (Number.isFinite(between)) values[at] = between;
}

function turn(values: Float32Array, at: number, later: number, part: number): void {
  let side = 0;
  for (let i = 0; i < 4; ++i) {
    from[i] = values[at + i]!;
    to[i] = values[later + i]!;
    side += from[i]! * to[i]!;
  }
  side = side < 0 ? -1 : 1; // q and -q are one rotation
  for (let i = 0; i < 4; ++i) from[i] = from[i]! * (1 - part) + side * to[i]! * part;
  if (normalise(from)) for (let i = 0; i < 4; ++i) values[at + i] = from[i]!;
}
