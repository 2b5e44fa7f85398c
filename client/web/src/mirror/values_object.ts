// Components as plain objects: { position: { x: 1, y: 0, z: 2 }, mood: "glad" }.
import { textOf } from "../core/bytes.js";
import { kind } from "../reflect/schema.js";
import type { Column } from "./pool.js";
import type { Values } from "./values.js";

export type Value = number | bigint | boolean | string | Value[] | { [name: string]: Value };

/** A component by the names of its fields. */
export type ComponentObject = { [name: string]: Value };

const handle = (index: number, generation: number): bigint => (BigInt(generation) << 32n) | BigInt(index);

/** Returns one value: an entity as its handle, 0n for none; an enum as the name of its value. */
function valueAt({ layout: { field, width } }: Column, values: Values, at: number): Value {
  switch (field.kind) {
    case kind.bool:
      return values[at] !== 0;
    case kind.rotation:
      return { x: values[at]!, y: values[at + 1]!, z: values[at + 2]!, w: values[at + 3]! };
    case kind.entity:
      return handle(Number(values[at]), Number(values[at + 1]));
    case kind.text: {
      const bytes = (values as Uint8Array).subarray(at, at + width);
      const end = bytes.indexOf(0);
      return textOf(end < 0 ? bytes : bytes.subarray(0, end)) ?? "";
    }
    default:
      if (field.enumValues.length > 0)
        return field.enumValues.find((each) => each.value === BigInt(values[at]!))?.name ?? Number(values[at]);
      return values[at]!;
  }
}

function put(object: ComponentObject, path: readonly string[], value: Value): void {
  let inner = object;
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(inner, name)) inner[name] = {};
    inner = inner[name] as ComponentObject;
  }
  inner[path.at(-1)!] = value;
}

/** Returns the component whose values begin at `at(column)` of `values(column)`. Arrays have all their elements. */
export function toObject(
  columns: readonly Column[],
  valuesOf: (which: number) => Values,
  at: (column: Column) => number,
): ComponentObject {
  const object: ComponentObject = {};
  columns.forEach((column, which) => {
    const { field, width } = column.layout;
    const values = valuesOf(which);
    const begin = at(column);
    const isArray = field.count > 1 || field.countField >= 0;
    const value = isArray
      ? Array.from({ length: field.count }, (_, i) => valueAt(column, values, begin + i * width))
      : valueAt(column, values, begin);
    put(object, field.path.split("."), value);
  });
  return object;
}
