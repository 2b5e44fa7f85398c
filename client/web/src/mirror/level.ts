// Entities of a level as a mirror loads them: their prototypes, the words that the server publishes, their hashes.
import { equalBytes, putU32 } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";
import type { LevelColumn, LevelFile } from "../resource/level_file.js";
import { structConversion } from "../resource/struct_conversion.js";
import { hashEntity, sumHigh, sumLow } from "../wire/entity_hash.js";
import type { MessageOf } from "../wire/messages.js";
import { writeRow } from "../wire/row_layout.js";
import type { Prototype, World } from "./world.js";

const wordsMax = 1 << 26;

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
function internPrototypes(world: World, file: LevelFile): Prototype[] {
  return file.prototypes.map((pairs) => {
    const components = [];
    for (let i = 0; i < pairs.length; i += 2) {
      const component = world.schema.components.get(pairs[i]!);
      if (component !== undefined && !component.notSent) components.push({ type: pairs[i]!, instance: pairs[i + 1]! });
    }
    world.check(components);
    return world.intern(components);
  });
}

/** Writes the words of a column's components. `data` has the handles of its references. */
function writeColumn(world: World, file: LevelFile, column: LevelColumn, data: Uint8Array, level: LevelEntities): void {
  const source = file.schema.components.get(column.type);
  const target = world.schema.components.get(column.type);
  if (source === undefined || target === undefined || target.notSent) return;
  if (data.length < column.entities.length * source.size) refuse("bad level", "a column has less data than instances");
  const row = world.rowOf(column.type);
  const isSame = equalBytes(file.schema.fingerprint, world.schema.fingerprint);
  const convert = isSame ? null : structConversion(source, target);
  const converted = new Uint8Array(target.size);
  column.entities.forEach((entity, i) => {
    const prototype = level.prototypes[entity]!;
    const which = prototype.components.findIndex(
      ({ type, instance }) => type === column.type && instance === column.instance,
    );
    if (which < 0) return;
    convert?.(data, i * source.size, converted);
    const first = level.begins[entity]! + prototype.layout.rows[which]!.first;
    writeRow(row, isSame ? data : converted, isSame ? i * source.size : 0, level.words, first);
  });
}

function withHandles(file: LevelFile, level: LevelEntities): Uint8Array[] {
  const data = file.columns.map((column) => column.data);
  for (const { column, offset, target } of file.references) {
    if (data[column] === file.columns[column]!.data) data[column] = data[column]!.slice();
    putU32(data[column]!, offset, level.first + target);
    putU32(data[column]!, offset + 4, level.generation);
  }
  return data;
}

/** Makes the entities of a level for a world. Throws a Refusal if file and message do not agree. */
export function makeLevel(world: World, file: LevelFile, message: MessageOf<"level">): LevelEntities {
  if (file.count !== message.count)
    refuse("other level", `the level has ${file.count} entities, the server's ${message.count}`);
  if (message.first + message.count > world.entitiesMax) refuse("other level", "indices of the level are too great");
  for (const name of file.names) world.addName(name);
  const level = new LevelEntities(message.first, message.count, message.generation, message.tick);
  const prototypes = internPrototypes(world, file);
  let words = 0;
  file.prototypeOf.forEach((which, i) => {
    level.prototypes.push(prototypes[which]!);
    level.begins[i] = words;
    words += prototypes[which]!.layout.words;
  });
  if (words > wordsMax) refuse("bad level", `its entities have more than ${wordsMax} words`);
  level.words = new Uint32Array(words);
  level.prototypes.forEach((prototype, i) => level.words.set(prototype.layout.defaults, level.begins[i]!));
  const data = withHandles(file, level);
  file.columns.forEach((column, i) => writeColumn(world, file, column, data[i]!, level));
  level.prototypes.forEach((prototype, i) => {
    hashEntity(prototype, level.first + i, level.generation, false, level.words, level.begins[i]!);
    level.hashesLow[i] = sumLow;
    level.hashesHigh[i] = sumHigh;
  });
  return level;
}
