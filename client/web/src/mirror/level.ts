// Entities of a level as a mirror loads them: their prototypes, the words that the server publishes, their hashes.
import { equalBytes, putU32 } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";
import type { Work } from "../core/work.js";
import type { LevelColumn, LevelFile } from "../resource/level_file.js";
import { structConversion } from "../resource/struct_conversion.js";
import { hashEntity, sumHigh, sumLow } from "../wire/entity_hash.js";
import type { MessageOf } from "../wire/messages.js";
import { writeRow } from "../wire/row_layout.js";
import type { Prototype, World } from "./world.js";

const wordsMax = 1 << 26;
/** Entities, or values of them, in one piece of work. */
const pieceSize = 64;

const endsPiece = (i: number): boolean => i % pieceSize === pieceSize - 1;

export class LevelEntities {
  /** 1 for each entity that is shown and unmodified since it was loaded. */
  readonly here: Uint8Array;
  readonly prototypes: Prototype[] = [];
  /** Where the words of each entity begin in `words`. */
  readonly begins: Uint32Array;
  words = new Uint32Array(0);
  readonly hashesLow: Uint32Array;
  readonly hashesHigh: Uint32Array;

  constructor(
    readonly first: number,
    readonly count: number,
    readonly generation: number,
    readonly tick: number,
  ) {
    this.here = new Uint8Array(count);
    this.begins = new Uint32Array(count);
    this.hashesLow = new Uint32Array(count);
    this.hashesHigh = new Uint32Array(count);
  }

  has(index: number): boolean {
    return index >= this.first && index - this.first < this.count;
  }

  isHere(index: number): boolean {
    return this.has(index) && this.here[index - this.first] === 1;
  }
}

/** Returns the prototypes of a file, without components that are not sent. */
function* internPrototypes(world: World, file: LevelFile): Work<Prototype[]> {
  const prototypes: Prototype[] = [];
  for (const [which, pairs] of file.prototypes.entries()) {
    const components = [];
    for (let i = 0; i < pairs.length; i += 2) {
      const component = world.schema.components.get(pairs[i]!);
      if (component !== undefined && !component.notSent) components.push({ type: pairs[i]!, instance: pairs[i + 1]! });
    }
    world.check(components);
    prototypes.push(world.intern(components));
    if (endsPiece(which)) yield;
  }
  return prototypes;
}

/** Writes the words of a column's components. `data` has the handles of its references. */
function* writeColumn(
  world: World,
  file: LevelFile,
  column: LevelColumn,
  data: Uint8Array,
  level: LevelEntities,
): Work<void> {
  const source = file.schema.components.get(column.type);
  const target = world.schema.components.get(column.type);
  if (source === undefined || target === undefined || target.notSent) return;
  if (data.length < column.entities.length * source.size) refuse("bad level", "a column has less data than instances");
  const row = world.rowOf(column.type);
  const isSame = equalBytes(file.schema.fingerprint, world.schema.fingerprint);
  const convert = isSame ? null : structConversion(source, target);
  const converted = new Uint8Array(target.size);
  for (const [i, entity] of column.entities.entries()) {
    const prototype = level.prototypes[entity]!;
    const which = prototype.components.findIndex(
      ({ type, instance }) => type === column.type && instance === column.instance,
    );
    if (endsPiece(i)) yield;
    if (which < 0) continue;
    convert?.(data, i * source.size, converted);
    const first = level.begins[entity]! + prototype.layout.rows[which]!.first;
    writeRow(row, isSame ? data : converted, isSame ? i * source.size : 0, level.words, first);
  }
}

function* withHandles(file: LevelFile, level: LevelEntities): Work<Uint8Array[]> {
  const data = file.columns.map((column) => column.data);
  for (const [i, { column, offset, target }] of file.references.entries()) {
    if (data[column] === file.columns[column]!.data) data[column] = data[column]!.slice();
    putU32(data[column]!, offset, level.first + target);
    putU32(data[column]!, offset + 4, level.generation);
    if (endsPiece(i)) yield;
  }
  return data;
}

/** Gives each entity its prototype, and its place among the words. */
function* placeEntities(file: LevelFile, prototypes: readonly Prototype[], level: LevelEntities): Work<void> {
  let words = 0;
  for (const [i, which] of file.prototypeOf.entries()) {
    level.prototypes.push(prototypes[which]!);
    level.begins[i] = words;
    words += prototypes[which]!.layout.words;
    if (words > wordsMax) refuse("bad level", `its entities have more than ${wordsMax} words`);
    if (endsPiece(i)) yield;
  }
  level.words = new Uint32Array(words);
}

/** Makes the entities of a level for a world. Throws a Refusal if file and message do not agree. */
export function* makeLevel(world: World, file: LevelFile, message: MessageOf<"level">): Work<LevelEntities> {
  if (file.count !== message.count)
    refuse("other level", `the level has ${file.count} entities, the server's ${message.count}`);
  if (message.first + message.count > world.entitiesMax) refuse("other level", "indices of the level are too great");
  for (const [i, name] of file.names.entries()) {
    world.addName(name);
    if (endsPiece(i)) yield;
  }
  const level = new LevelEntities(message.first, message.count, message.generation, message.tick);
  yield* placeEntities(file, yield* internPrototypes(world, file), level);
  for (const [i, prototype] of level.prototypes.entries()) {
    level.words.set(prototype.layout.defaults, level.begins[i]!);
    if (endsPiece(i)) yield;
  }
  const data = yield* withHandles(file, level);
  for (const [i, column] of file.columns.entries()) yield* writeColumn(world, file, column, data[i]!, level);
  for (const [i, prototype] of level.prototypes.entries()) {
    hashEntity(prototype, level.first + i, level.generation, false, level.words, level.begins[i]!);
    level.hashesLow[i] = sumLow;
    level.hashesHigh[i] = sumHigh;
    if (endsPiece(i)) yield;
  }
  return level;
}
