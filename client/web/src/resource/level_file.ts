// The clients' part of a level: a file of columns. docs/levels.md describes it.
import { equalBytes, u32, u64 } from "../core/bytes.js";
import { contentHashWork } from "../core/content_hash.js";
import { FlatTable, type FlatVector } from "../core/flat_table.js";
import { refuse } from "../core/refusal.js";
import { hashHigh, hashLow, xxh3 } from "../core/xxh3.js";
import { type Work, finish } from "../core/work.js";
import { limits } from "../reflect/declarations.js";
import { type Schema, loadSchema } from "../reflect/schema.js";

const headerBytes = 48;
const formatVersion = 2;
const entitiesMax = 1_048_576;
const columnsMax = 4096;
const pieceSize = 1024; // prototypes or references in one piece of work
const namesMax = 1 << 16;
const nameBytesMax = 256;
const staticsMax = 1 << 16;
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

/** Data that all entities of a level share, such as a navigation mesh. */
export interface LevelStatic {
  readonly id: bigint;
  readonly type: number; // hash of its type's name
  readonly data: Uint8Array;
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
  readonly statics: readonly LevelStatic[];
}

function bad(what: string): never {
  refuse("bad level", what);
}

function numbersOf(table: FlatTable, { at, count }: FlatVector): Uint32Array {
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; ++i) numbers[i] = u32(table.bytes, at + 4 * i);
  return numbers;
}

function readColumn(table: FlatTable, count: number): LevelColumn {
  const entities = numbersOf(table, table.vector(4, 4, count));
  for (let i = 0; i < entities.length; ++i)
    if (entities[i]! >= count || (i > 0 && entities[i]! <= entities[i - 1]!)) bad("entities of a column do not rise");
  if (entities.length !== table.u32(3)) bad("a column has not one entity for each instance");
  return { type: table.u32(0), instance: table.u32(1), entities, data: table.blob(5) };
}

function* readReferences(table: FlatTable, columns: readonly LevelColumn[], count: number): Work<LevelReference[]> {
  const { at, count: all } = table.vector(5, 12);
  const references: LevelReference[] = [];
  for (let i = 0; i < all; ++i) {
    const place = at + 12 * i;
    const reference = {
      column: u32(table.bytes, place),
      offset: u32(table.bytes, place + 4),
      target: u32(table.bytes, place + 8),
    };
    const column = columns[reference.column];
    if (column === undefined || reference.offset + 8 > column.data.length || reference.target >= count)
      bad("a reference leads nowhere");
    references.push(reference);
    if (i % pieceSize === pieceSize - 1) yield;
  }
  return references;
}

/** Returns the statics by id, which is the hash of their content. */
function* readStatics(root: FlatTable): Work<LevelStatic[]> {
  const statics: LevelStatic[] = [];
  for (const each of root.tables(4, staticsMax)) {
    const [type, data] = [each.u32(1), each.blob(2)];
    xxh3(data, data.length, type, 0);
    if (each.half(0, false) !== hashLow || each.half(0, true) !== hashHigh)
      bad("a static whose id is not its content's");
    statics.push({ id: each.big(0), type, data });
    yield;
  }
  statics.sort((a, b) => (a.id < b.id ? -1 : 1));
  if (new Set(statics.map(({ id }) => id)).size < statics.length) bad("a static is there twice");
  return statics;
}

type LevelContent = Pick<LevelFile, "count" | "prototypes" | "prototypeOf" | "columns" | "references">;

function* readLevel(level: FlatTable): Work<LevelContent> {
  const count = level.u32(0);
  if (count < 1 || count > entitiesMax) bad(`a level has 1 to ${entitiesMax} entities`);
  const prototypes: Uint32Array[] = [];
  for (const [i, each] of level.tables(2, count).entries()) {
    const components = each.vector(0, 8, columnsMax);
    prototypes.push(numbersOf(each, { at: components.at, count: 2 * components.count }));
    if (i % pieceSize === pieceSize - 1) yield;
  }
  const prototypeOf = numbersOf(level, level.vector(3, 4, count));
  if (prototypeOf.length !== count || prototypeOf.some((each) => each >= prototypes.length))
    bad("an entity without a prototype");
  yield;
  const columns: LevelColumn[] = [];
  for (const each of level.tables(4, columnsMax)) {
    columns.push(readColumn(each, count));
    yield;
  }
  return { count, prototypes, prototypeOf, columns, references: yield* readReferences(level, columns, count) };
}

/** Reads a copy of a level's file. Throws a Refusal with the reason "bad level", or that of its schema. */
export function* levelFileWork(file: Uint8Array): Work<LevelFile> {
  if (file.length < headerBytes || file.length > fileBytesMax || u32(file, 0) !== 0x52424f4d)
    bad("not a compiled level");
  if (u32(file, 4) !== formatVersion) bad(`format ${u32(file, 4)}; expected ${formatVersion}`);
  if (u64(file, 8) !== file.length - headerBytes) bad("its size is not the one of its header");
  const bytes = file.slice();
  const payload = bytes.subarray(headerBytes);
  const identity = bytes.subarray(16, headerBytes);
  if (!equalBytes(yield* contentHashWork(payload), identity)) bad("its content is damaged");
  const root = FlatTable.root(payload);
  const level = root.table(2) ?? bad("there is no level in it");
  const names = root.tables(1, namesMax).map((each) => each.text(1, nameBytesMax));
  yield;
  const schema = loadSchema(root.blob(0, limits.schemaBytes));
  yield;
  const content = yield* readLevel(level);
  return { bytes, identity, schema, names, ...content, statics: yield* readStatics(root) };
}

export function readLevelFile(file: Uint8Array): LevelFile {
  return finish(levelFileWork(file));
}
