// Values between two states.
import { type Field, kind } from "../reflect/schema.js";
import type { Values } from "./values.js";

/** Most ticks in which a change is shown as a motion. */
export const motionTicksMax = 4;

/** Moves a value toward another one. Those of other kinds than floats and rotations stay. */
export function blend(field: Field, values: Values, to: Values, part: number): void {
  if (field.arrayAt > 0) return;
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
