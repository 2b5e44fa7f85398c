// Binary schemas for tests, also such as no compiler writes.
import * as flat from "../../src/core/flat_writer.js";
import { vectorOf } from "./flat_vectors.js";

/** Base types of FlatBuffers' reflection. */
export const type = { ubyte: 4, ushort: 6, uint: 8, float: 11, struct: 15, array: 17 } as const;

export interface FieldSource {
  readonly name: string;
  readonly base: number;
  readonly offset: number;
  readonly struct?: number; // place of its struct or enum
  readonly length?: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface StructSource {
  readonly name: string;
  readonly size: number;
  readonly alignment?: number;
  readonly fields: readonly FieldSource[];
  readonly attributes?: Readonly<Record<string, string>>;
}

const attributesOf = (attributes: Readonly<Record<string, string>> = {}): flat.Field =>
  vectorOf(Object.entries(attributes).map(([name, value]) => flat.table([flat.text(name), flat.text(value)])));

function fieldOf({ name, base, offset, struct = -1, length = 0, attributes }: FieldSource): flat.Field {
  const index = flat.u32(struct >>> 0);
  const declared =
    length > 0
      ? flat.table([flat.u8(type.array), flat.u8(base), index, flat.u16(length)])
      : flat.table([flat.u8(base), null, index]);
  const rest = [null, null, null, null, null];
  return flat.table([flat.text(name), declared, null, flat.u16(offset), ...rest, attributesOf(attributes)]);
}

/** Returns the table of a struct, whose vector of fields may be another. */
export function structOf(struct: StructSource, fields = vectorOf(struct.fields.map(fieldOf))): flat.Field {
  const { name, size, alignment = 4, attributes } = struct;
  return flat.table([
    flat.text(name),
    fields,
    flat.bool(true),
    flat.u32(alignment),
    flat.u32(size),
    attributesOf(attributes),
  ]);
}

/** Returns the table of an enum of bytes, whose values count from 0. */
export function enumOf(name: string, values: readonly string[]): flat.Field {
  const all = values.map((value, i) => flat.table([flat.text(value), flat.u64(BigInt(i))]));
  return flat.table([flat.text(name), vectorOf(all), null, flat.table([flat.u8(type.ubyte)])]);
}

export const schemaOf = (structs: readonly flat.Field[], enums: readonly flat.Field[] = []): Uint8Array =>
  flat.flatMessage([vectorOf(structs), vectorOf(enums)]);

/** Returns the schema of one component, "Part", and of structs that it may contain. */
export function schemaOfPart(part: Omit<StructSource, "name">, ...inner: readonly StructSource[]): Uint8Array {
  const all = [{ ...part, name: "Part", attributes: { component: "", ...part.attributes } }, ...inner];
  return schemaOf(all.map((struct) => structOf(struct)));
}
