// The clients' part of a level: a file of columns. docs/levels.md describes it.
import { equalBytes, u32, u64 } from "../core/bytes.js";
import { FlatTable, type FlatVector } from "../core/flat_table.js";
import { refuse } from "../core/refusal.js";
import { limits } from "../reflect/declarations.js";
import { type Schema, contentHash, loadSchema } from "../reflect/schema.js";

const headerBytes = 48;
const formatVersion = 2;
const entitiesMax = 1_048_576;
const columnsMax = 4096;
const namesMax = 1 << 16;
const nameBytesMax = 256;
export const fileBytesMax = 256 * 1024 * 1024;

export interface LevelColumn {
  readonly type: number;
  readonly instance: number;
  /** Entities that have the component, rising. */
  readonly entities: Uint32Array;
  readonly data: Uint8Array;
}

export interface LevelReference {
  readonly column: number;
  readonly offset: number;
  readonly target: number;
}

export interface LevelFile {
  readonly bytes: Uint8Array;
  readonly identity: Uint8Array;
  readonly schema: Schema;
  readonly names: readonly string[];
  readonly count: number; // entities
  /** Components by prototype, as pairs of type and instance. */
  readonly prototypes: readonly Uint32Array[];
  readonly prototypeOf: Uint32Array; // by entity
  readonly columns: readonly LevelColumn[];
  readonly references: readonly LevelReference[];
}

function bad(what: string): never {
  refuse("bad level", what);
}

function numbersOf(table: FlatTable, { at, count }: FlatVector): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => u32(table.bytes, at + 4 * i));
}

function readColumn(table: FlatTable, count: number): LevelColumn {
  const entities = numbersOf(table, table.vector(4, 4, count));
  for (let i = 0; i < entities.length; ++i)
    if (entities[i]! >= count || (i > 0 && entities[i]! <= entities[i - 1]!)) bad("entities of a column do not rise");
  if (entities.length !== table.u32(3)) bad("a column has not one entity for each instance");
  return { type: table.u32(0), instance: table.u32(1), entities, data: table.blob(5) };
}

function readReferences(table: FlatTable, columns: readonly LevelColumn[], count: number): LevelReference[] {
  const { at, count: all } = table.vector(5, 12);
  return Array.from({ length: all }, (_, i) => {
    const place = at + 12 * i;
    const reference = {
      column: u32(table.bytes, place),
      offset: u32(table.bytes, place + 4),
      target: u32(table.bytes, place + 8),
    };
    const column = columns[reference.column];
    if (column === undefined || reference.offset + 8 > column.data.length || reference.target >= count)
      bad("a reference leads nowhere");
    return reference;
  });
}

function readLevel(level: FlatTable): Omit<LevelFile, "bytes" | "identity" | "schema" | "names"> {
  const count = level.u32(0);
  if (count < 1 || count > entitiesMax) bad(`a level has 1 to ${entitiesMax} entities`);
  const prototypes = level.tables(2, count).map((each) => {
    const components = each.vector(0, 8, columnsMax);
    return numbersOf(each, { at: components.at, count: 2 * components.count });
  });
  const prototypeOf = numbersOf(level, level.vector(3, 4, count));
  if (prototypeOf.length !== count || prototypeOf.some((each) => each >= prototypes.length))
    bad("an entity without a prototype");
  const columns = level.tables(4, columnsMax).map((each) => readColumn(each, count));
  return { count, prototypes, prototypeOf, columns, references: readReferences(level, columns, count) };
}

/** Reads a copy of a level's file. Throws a Refusal with the reason "bad level", or that of its schema. */
export function readLevelFile(file: Uint8Array): LevelFile {
  if (file.length < headerBytes || file.length > fileBytesMax || u32(file, 0) !== 0x52424f4d)
    bad("not a compiled level");
  if (u32(file, 4) !== formatVersion) bad(`format ${u32(file, 4)}; expected ${formatVersion}`);
  if (u64(file, 8) !== file.length - headerBytes) bad("its size is not the one of its header");
  const bytes = file.slice();
  const payload = bytes.subarray(headerBytes);
  const identity = bytes.subarray(16, headerBytes);
  if (!equalBytes(contentHash(payload), identity)) bad("its content is damaged");
  const root = FlatTable.root(payload);
  const level = root.table(2) ?? bad("there is no level in it");
  const names = root.tables(1, namesMax).map((each) => each.text(1, nameBytesMax));
  return { bytes, identity, schema: loadSchema(root.blob(0, limits.schemaBytes)), names, ...readLevel(level) };
}
