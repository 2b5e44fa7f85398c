// Vectors of FlatBuffers for tests, also such as no honest program writes.
import { type Field, list, sharing } from "../../src/core/flat_writer.js";

export const vectorOf = list;

/** A vector whose elements are one and the same. */
export const repeated = (element: Field, count: number): Field => sharing([element], count, () => 0);
