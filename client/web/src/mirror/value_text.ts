// Values as text for people: JSON, cut off if it is long.
import { type ColumnLayout, makeValues } from "./values.js";

const textMax = 100;

/** Returns the value that words have of a field, and its motion. Words that are no value are shown in hex. */
export function valueText(column: ColumnLayout, owner: boolean, words: Uint32Array, row: number): string {
  const place = column.places[owner ? 1 : 0];
  const end = place.course === null ? place.first + place.words * column.field.count : place.course.tickWord + 1;
  const begin = row + place.first;
  try {
    const values = makeValues(column.field, column.size);
    for (let i = 0; i < column.field.count; ++i) column.write(words, begin + i * place.words, values, i * column.width);
    const own = [...values].map(String).join(", ");
    const course =
      place.course === null ? "" : ` (${[...words.subarray(row + place.course.course, row + end)].join(" ")})`;
    return (own + course).slice(0, textMax);
  } catch {
    return [...words.subarray(begin, row + end)]
      .map((word) => word.toString(16))
      .join(" ")
      .slice(0, textMax);
  }
}
