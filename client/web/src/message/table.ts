// Messages of a game, such as commands and events: tables of FlatBuffers, encoded and decoded by descriptions that
// mobula-schema-gen writes.
import { FlatTable } from "../core/flat_table.js";
import * as flat from "../core/flat_writer.js";
import { refuse } from "../core/refusal.js";
import type { InlineType } from "./inline.js";

const depthMax = 32;

function bad(what: string): never {
  refuse("bad message", what);
}

/** A field of a table: its numbers in the schema, and how its values are read and written. */
export interface TableField<T> {
  read(table: FlatTable, depth: number): T;
  /** Returns the fields of FlatBuffers, from `id` on. */
  write(value: T): readonly flat.Field[];
  /** First number of the field in the schema. */
  readonly id: number;
  /** The value of a field that is not given. */
  readonly absent: T | undefined;
}

type TableFields<T> = { readonly [K in keyof T]: TableField<T[K]> };

/** How a table is encoded as a variant of the root's union. */
interface Place {
  readonly root: Message<any, any>;
  readonly field: string;
  readonly kind: string;
}

/** A table of the schema. `T` is its value, `R` names the fields that must be given. */
export interface Message<T, R extends keyof T = never> {
  readonly name: string;
  readonly fields: () => TableFields<T>;
  readonly place: (() => Place) | null;
  /** For the compiler alone. */
  readonly required?: R;
}

/** A message to be encoded. Fields that are not required may be left out. */
export type Draft<T, R extends keyof T> = Partial<T> & Pick<T, R>;

export const table = <T, R extends keyof T = never>(name: string, fields: () => TableFields<T>): Message<T, R> => ({
  name,
  fields,
  place: null,
});

/** A table that is a variant of the only union of the schema's root. */
export const variant = <T, R extends keyof T = never>(
  name: string,
  root: () => Message<any, any>,
  field: string,
  kind: string,
  fields: () => TableFields<T>,
): Message<T, R> => ({ name, fields, place: () => ({ root: root(), field, kind }) });

// Encoding ------------------------------------------------------------------------------------------------------------

function writeTable<T>(message: Message<T, any>, value: Partial<T>): flat.Field[] {
  const all: flat.Field[] = [];
  for (const [name, field] of Object.entries(message.fields()) as [keyof T & string, TableField<T[keyof T]>][]) {
    const given = value[name] ?? field.absent;
    if (given === undefined) bad(`${message.name}.${name} is missing`);
    field.write(given as T[keyof T]).forEach((each, i) => (all[field.id + i] = each));
  }
  return Array.from(all, (each) => each ?? null);
}

/** Returns a message as bytes. Throws a Refusal if a required field is missing, or a value is beyond its type. */
export function encode<T, R extends keyof T = never>(message: Message<T, R>, value: Draft<T, R>): Uint8Array {
  const place = message.place?.();
  if (place !== undefined) return encode(place.root, { [place.field]: { kind: place.kind, value } });
  return flat.flatMessage(writeTable(message, value));
}

// Decoding ------------------------------------------------------------------------------------------------------------

function readTable<T>(message: Message<T, any>, from: FlatTable, depth: number): T {
  if (depth > depthMax) bad(`${message.name} is nested too deep`);
  const entries = Object.entries(message.fields()) as [string, TableField<unknown>][];
  return Object.fromEntries(entries.map(([name, field]) => [name, field.read(from, depth)])) as T;
}

/** Returns the message of some bytes, whose root is its table. Throws a Refusal if they are damaged. */
export function decode<T, R extends keyof T>(message: Message<T, R>, bytes: Uint8Array): T {
  return readTable(message, FlatTable.root(bytes), 1);
}

// Fields --------------------------------------------------------------------------------------------------------------

const viewOf = ({ bytes }: FlatTable): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function bytesOf<T>(type: InlineType<T>, values: readonly T[]): Uint8Array {
  const bytes = new Uint8Array(values.length * type.size);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => type.write(view, i * type.size, value));
  return bytes;
}

const one = <T>(
  id: number,
  absent: T | undefined,
  read: (from: FlatTable, depth: number) => T,
  write: (value: T) => flat.Field,
): TableField<T> => ({ id, absent, read, write: (value) => [write(value)] });

/** A scalar, with the value that it has if it is absent. */
export const scalar = <T>(id: number, type: InlineType<T>, fallback: T): TableField<T> =>
  one(
    id,
    fallback,
    (from) => {
      const at = from.struct(id, type.size);
      return at === 0 ? fallback : type.read(viewOf(from), at);
    },
    (value) => (value === fallback ? null : flat.struct(bytesOf(type, [value]), type.alignment)),
  );

/** A scalar without a default, or a struct. */
export const optional = <T>(id: number, type: InlineType<T>): TableField<T | null> =>
  one<T | null>(
    id,
    null,
    (from) => {
      const at = from.struct(id, type.size);
      return at === 0 ? null : type.read(viewOf(from), at);
    },
    (value) => (value === null ? null : flat.struct(bytesOf(type, [value]), type.alignment)),
  );

export const text = (id: number): TableField<string | null> =>
  one<string | null>(
    id,
    null,
    (from) => (from.has(id) ? from.text(id, from.bytes.length) : null),
    (value) => (value === null ? null : flat.text(value)),
  );

export const bytes = (id: number): TableField<Uint8Array> =>
  one(id, new Uint8Array(0), (from) => from.blob(id).slice(), flat.blob);

export const texts = (id: number): TableField<readonly string[]> =>
  one<readonly string[]>(
    id,
    [],
    (from) => from.texts(id, from.bytes.length, from.bytes.length),
    (values) => flat.list(values.map(flat.text)),
  );

/** A vector of scalars, enums or structs. */
export const list = <T>(id: number, type: InlineType<T>): TableField<readonly T[]> =>
  one<readonly T[]>(
    id,
    [],
    (from) => {
      const { at, count } = from.vector(id, type.size);
      const view = viewOf(from);
      return Array.from({ length: count }, (_, i) => type.read(view, at + i * type.size));
    },
    (values) => flat.structs(values.length, bytesOf(type, values)),
  );

export const child = <T>(id: number, message: () => Message<T, any>): TableField<T | null> =>
  one<T | null>(
    id,
    null,
    (from, depth) => {
      const inner = from.table(id);
      return inner === null ? null : readTable(message(), inner, depth + 1);
    },
    (value) => (value === null ? null : flat.table(writeTable(message(), value))),
  );

export const tables = <T>(id: number, message: () => Message<T, any>): TableField<readonly T[]> =>
  one<readonly T[]>(
    id,
    [],
    (from, depth) => from.tables(id, from.bytes.length).map((inner) => readTable(message(), inner, depth + 1)),
    (values) => flat.list(values.map((value) => flat.table(writeTable(message(), value)))),
  );

type Union = { readonly kind: string; readonly value: unknown };
type Variants = () => Readonly<Record<string, readonly [code: number, message: Message<any, any>]>>;

/** A union. Its kind is the field before it. A kind that the schema does not have is refused. */
export const union = <U extends Union>(id: number, variants: Variants): TableField<U | null> => ({
  id: id - 1,
  absent: null,
  read(from, depth) {
    const code = from.u8(id - 1);
    if (code === 0) return null;
    const found = Object.entries(variants()).find(([, [each]]) => each === code);
    const inner = from.table(id);
    if (found === undefined || inner === null) bad(`a union of kind ${code}, which the schema does not have`);
    const [kind, [, message]] = found;
    return { kind, value: readTable(message, inner, depth + 1) } as U;
  },
  write(value) {
    if (value === null) return [];
    const [code, message] = variants()[value.kind] ?? bad(`"${value.kind}" is no kind of the union`);
    return [flat.u8(code), flat.table(writeTable(message, value.value as object))];
  },
});

/** A field that must be given, and without which a message is refused. */
export const required = <T>(field: TableField<T | null>): TableField<T> => ({
  id: field.id,
  absent: undefined,
  read: (from, depth) => field.read(from, depth) ?? bad("a required field is absent"),
  write: (value) => field.write(value),
});
