// Structs and enums of a binary FlatBuffers schema (.bfbs), as they are declared. The bytes may be hostile.
import { FlatTable } from "../core/flat_table.js";
import { refuse } from "../core/refusal.js";

export const limits = {
  schemaBytes: 256 * 1024,
  types: 1024,
  depth: 8,
  components: 512,
  componentBytes: 4096,
  fields: 256, // per struct, and per component after flattening
  enumValues: 256,
  attributes: 32,
  nameBytes: 64,
  attributeBytes: 256,
  pathBytes: 256, // also of a name with its namespaces
} as const;

export type Attributes = ReadonlyMap<string, string>;

export interface DeclaredField {
  readonly name: string;
  readonly offset: number;
  /** FlatBuffers' base type of the field, or of an array's elements. */
  readonly base: number;
  /** Place of the struct or enum; -1 for a plain number. */
  readonly type: number;
  /** Elements of an array; 0 for a field by itself. */
  readonly length: number;
  readonly attributes: Attributes;
}

export interface DeclaredStruct {
  readonly name: string;
  readonly isStruct: boolean;
  readonly size: number;
  readonly alignment: number;
  readonly attributes: Attributes;
  /** By offset. */
  readonly fields: readonly DeclaredField[];
}

export interface EnumValue {
  readonly name: string;
  readonly value: bigint;
}

export interface DeclaredEnum {
  readonly name: string;
  readonly base: number;
  /** By value, as signed numbers. */
  readonly values: readonly EnumValue[];
}

export interface Declarations {
  readonly structs: readonly DeclaredStruct[];
  readonly enums: readonly DeclaredEnum[];
}

/** Base types of FlatBuffers' reflection that are used here. */
export const base = { bool: 2, ubyte: 4, uint: 8, struct: 15, array: 17 } as const;

/** Bytes of a number by base type; 0 for what a struct cannot hold. */
export const baseBytes: readonly (number | undefined)[] = [0, 0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8];

export function badSchema(message: string): never {
  refuse("bad schema", message);
}

/** Refuses texts that are there twice. */
function distinct(texts: readonly string[], where: string): void {
  if (new Set(texts).size < texts.length) badSchema(`${where}: a name is there twice`);
}

function readAttributes(table: FlatTable, field: number, where: string): Attributes {
  const entries = table
    .tables(field, limits.attributes)
    .map((entry) => [entry.text(0, limits.nameBytes), entry.text(1, limits.attributeBytes)] as const);
  const names = entries.map(([name]) => name);
  distinct(names, where);
  return new Map(entries);
}

function readName(table: FlatTable): string {
  const name = table.text(0, limits.nameBytes);
  return /^[A-Za-z_]\w*$/.test(name) ? name : badSchema(`"${name}" is not a name`);
}

function readType(field: FlatTable, where: string): Pick<DeclaredField, "base" | "type" | "length"> {
  const type = field.table(1) ?? badSchema(`${where} has no type`);
  const isArray = type.u8(0) === base.array;
  const length = isArray ? type.u16(3) : 0;
  if (isArray && length === 0) badSchema(`${where}: an array has at least one element`);
  return { base: isArray ? type.u8(1) : type.u8(0), type: type.i32(2, -1), length };
}

function readStruct(table: FlatTable): DeclaredStruct {
  const name = table.text(0, limits.pathBytes);
  const isStruct = table.bool(2);
  const attributes = readAttributes(table, 5, name);
  if (!isStruct) return { name, isStruct, size: 0, alignment: 1, attributes, fields: [] };
  const alignment = table.i32(3);
  const size = table.i32(4);
  if (![1, 2, 4, 8].includes(alignment) || size < 1 || size > limits.componentBytes || size % alignment > 0)
    badSchema(`${name}: a struct has 1 to ${limits.componentBytes} bytes, and an alignment of at most 8`);
  const fields = table.tables(1, limits.fields).map((field): DeclaredField => {
    const own = readName(field);
    const where = `${name}.${own}`;
    return { name: own, offset: field.u16(3), ...readType(field, where), attributes: readAttributes(field, 9, where) };
  });
  if (fields.length === 0) badSchema(`${name}: a struct has 1 to ${limits.fields} fields`);
  const names = fields.map((field) => field.name);
  distinct(names, name);
  fields.sort((a, b) => a.offset - b.offset);
  return { name, isStruct, size, alignment, attributes, fields };
}

function readEnum(table: FlatTable): DeclaredEnum {
  const values = table.tables(1, limits.enumValues).map((value) => ({
    name: readName(value),
    value: BigInt.asIntN(64, value.big(1)),
  }));
  values.sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
  return { name: table.text(0, limits.pathBytes), base: table.table(3)?.u8(0) ?? 0, values };
}

/** Returns size and alignment of a field, or of an array's elements. */
function sizeOf({ structs, enums }: Declarations, field: DeclaredField, where: string): [size: number, align: number] {
  if (field.base === base.struct) {
    const inner = structs[field.type];
    return inner?.isStruct ? [inner.size, inner.alignment] : badSchema(`${where} is of a struct that is not there`);
  }
  const size = baseBytes[field.base] || badSchema(`${where} is of a type that no struct can hold`);
  const declared = enums[field.type];
  if (field.type >= 0 && (declared?.base !== field.base || declared.values.length === 0))
    badSchema(`${where} does not agree with its enum`);
  return [size, size];
}

/** Refuses fields that are outside of their struct, not aligned, or overlap. So a struct has no more fields than bytes. */
function checkLayout(all: Declarations, struct: DeclaredStruct): void {
  let end = 0;
  for (const field of struct.fields) {
    const where = `${struct.name}.${field.name}`;
    const [size, alignment] = sizeOf(all, field, where);
    if (field.offset < end || field.offset % alignment > 0 || alignment > struct.alignment)
      badSchema(`${where} has an offset where it does not fit`);
    end = field.offset + size * Math.max(field.length, 1);
  }
  if (end > struct.size) badSchema(`${struct.name}: its fields do not fit into it`);
}

/** Reads a .bfbs. Throws a Refusal with the reason "bad schema". */
export function readDeclarations(bytes: Uint8Array): Declarations {
  if (bytes.length > limits.schemaBytes) badSchema(`a schema has at most ${limits.schemaBytes} bytes`);
  const root = FlatTable.root(bytes);
  const structs = root.tables(0, limits.types).map(readStruct);
  const all = { structs, enums: root.tables(1, limits.types).map(readEnum) };
  for (const struct of structs) checkLayout(all, struct);
  return all;
}
