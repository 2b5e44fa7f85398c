// Components as plain objects: { position: { x: 1, y: 0, z: 2 }, mood: "glad" }.
import { textOf } from "../core/bytes.js";
import { entityOf } from "../core/entity.js";
import { type Field, kind } from "../reflect/schema.js";
import type { Values } from "./values.js";

export type Value = number | bigint | boolean | string | Value[] | { [name: string]: Value };

/** A component by the names of its fields. */
export type ComponentObject = { [name: string]: Value };

/** A field, as far as its values are read. */
interface Column {
  readonly layout: { readonly field: Field; readonly width: number; readonly size: number };
}

/** Returns one value: an entity as its handle, 0n for none; an enum as the name of its value. */
function valueAt({ layout: { field, width } }: Column, values: Values, at: number): Value {
  switch (field.kind) {
    case kind.bool:
      return values[at] !== 0;
    case kind.rotation:
      return { x: values[at]!, y: values[at + 1]!, z: values[at + 2]!, w: values[at + 3]! };
    case kind.entity:
      return entityOf(Number(values[at]), Number(values[at + 1]));
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

/** Returns the object or array at a path inside another one, and makes it if need be. */
function inner(object: ComponentObject, path: readonly string[], isArray: boolean): ComponentObject {
  let at = object;
  path.forEach((name, i) => {
    if (!Object.hasOwn(at, name)) at[name] = isArray && i === path.length - 1 ? [] : {};
    at = at[name] as ComponentObject;
  });
  return at;
}

function put(object: ComponentObject, path: readonly string[], value: Value): void {
  inner(object, path.slice(0, -1), false)[path.at(-1)!] = value;
}

/** Puts the values of a field into the elements of an array, which are values themselves or objects. */
function putElements(object: ComponentObject, column: Column, values: Values, begin: number): void {
  const { field, width } = column.layout;
  const elements = inner(object, field.path.slice(0, field.arrayAt).split("."), true);
  const path = field.path.slice(field.arrayAt + 1);
  for (let i = 0; i < field.count; ++i) {
    const value = valueAt(column, values, begin + i * width);
    if (path === "") elements[i] = value;
    else put(elements, [String(i), ...path.split(".")], value);
  }
}

/** Returns the component whose values begin at `at(column)` of `values(column)`. Arrays have all their elements. */
export function toObject(
  columns: readonly Column[],
  valuesOf: (which: number) => Values,
  at: (column: Column) => number,
): ComponentObject {
  const object: ComponentObject = {};
  columns.forEach((column, which) => {
    const { field } = column.layout;
    const values = valuesOf(which);
    if (field.arrayAt > 0) putElements(object, column, values, at(column));
    else put(object, field.path.split("."), valueAt(column, values, at(column)));
  });
  return object;
}
