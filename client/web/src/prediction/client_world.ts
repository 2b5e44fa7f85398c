// The world of a client's steps: the predicted set, and the mirror for all other entities.
import { fnv1a32 } from "../core/fnv.js";
import { Random } from "../core/random.js";
import { hashHigh, hashLow, xxh3 } from "../core/xxh3.js";
import type { Mirror } from "../mirror/mirror.js";
import type { LevelStatic } from "../resource/level_file.js";
import type { EffectTable } from "./effect_table.js";
import { entityOf, generationOf, indexOf } from "../core/entity.js";
import type { PredictedSet } from "./predicted_set.js";
import type { Command, Components, PredictedWorld, Row, Visit } from "./rules.js";
import { ClientBytes } from "./step_bytes.js";
import type { StepLevels } from "./step_levels.js";
import type { TrackedComponent } from "./tracked_component.js";

const spawnsMax = 256; // per command
const payloadMax = 1024; // bytes of an effect
const nothing = new Uint8Array(0);

/** Kinds of keys of random numbers, so that a handle and a number of the game are different keys. */
const keyKind = { given: 0, handle: 1, spawnKey: 2 } as const;

/** Memory of an iteration, kept for the next one at the same depth. */
interface Iteration {
  readonly components: TrackedComponent[];
  readonly rows: Row[];
  readonly indices: number[];
}

interface Spawned {
  readonly player: number;
  readonly command: number;
  count: number;
}

export class ClientWorld implements PredictedWorld {
  tick = 0;
  readonly secondsPerTick: number;
  readonly bytes: ClientBytes;
  private readonly iterations: Iteration[] = [];
  private depth = 0;
  private readonly randoms: Random[] = [];
  private usedRandoms = 0;
  private readonly spawned: Spawned[] = [];
  private readonly keyWords = new Uint32Array(6);
  private readonly keyBytes = new Uint8Array(this.keyWords.buffer);

  constructor(
    private readonly mirror: Mirror,
    private readonly set: PredictedSet,
    private readonly effects: EffectTable,
    private readonly levels: StepLevels,
    readonly ticksPerSecond: number,
    seedLow: number,
    seedHigh: number,
  ) {
    this.secondsPerTick = Math.fround(1 / ticksPerSecond);
    this.bytes = new ClientBytes(mirror, set, levels, seedLow, seedHigh);
  }

  /** Begins a step. The mirror has not changed since another one with the same number of an update. */
  begin(tick: number, update: number): void {
    this.tick = tick;
    this.levels.begin(tick);
    this.bytes.update = update;
    this.depth = 0;
    this.usedRandoms = 0;
    this.spawned.length = 0;
  }

  // Access ----------------------------------------------------------------------------------------------------------

  steps(entity: bigint): boolean {
    return this.set.isStepped(entity);
  }

  tryGet(entity: bigint, name: string): Row | null {
    const tracked = this.set.componentOf(name);
    const slot = this.set.slotOf(entity);
    if (slot >= 0) return this.set.alive[slot] === 1 && tracked.rows.has[slot] === 1 ? tracked.rows.row(slot) : null;
    const index = indexOf(entity);
    return this.mirror.world.has(index, generationOf(entity)) ? this.foreignRow(tracked, index) : null;
  }

  private foreignRow(tracked: TrackedComponent, index: number): Row | null {
    const place = tracked.foreignPlace(index, this.bytes.update);
    return place < 0 ? null : tracked.foreign.row(place);
  }

  get(entity: bigint, name: string): Row {
    const found = this.tryGet(entity, name);
    if (found === null) throw new Error(`entity ${indexOf(entity)}.${generationOf(entity)} has no ${name}`);
    return found;
  }

  tryWrite(entity: bigint, name: string): Row | null {
    const tracked = this.set.componentOf(name);
    const slot = this.set.slotOf(entity);
    const isThere = slot >= 0 && this.set.alive[slot] === 1 && tracked.rows.has[slot] === 1;
    return isThere && tracked.isPredicted ? tracked.rows.row(slot) : null;
  }

  // Iteration -------------------------------------------------------------------------------------------------------

  private enter(names: readonly string[]): Iteration {
    if (names.length === 0) throw new Error("an iteration names its components");
    if (this.depth === this.iterations.length) this.iterations.push({ components: [], rows: [], indices: [] });
    const iteration = this.iterations[this.depth]!;
    const { components, rows } = iteration;
    components.length = rows.length = names.length;
    for (let i = 0; i < names.length; ++i) components[i] = this.set.componentOf(names[i]!);
    ++this.depth;
    return iteration;
  }

  each(names: readonly string[], visit: Visit): void {
    const { components, rows } = this.enter(names);
    const slots = smallestOf(components);
    for (let i = 0, end = slots.length; i < end; ++i) this.visitOwn(components, rows, slots[i]!, visit);
    --this.depth;
  }

  eachVisible(names: readonly string[], visit: Visit): void {
    const { components, rows, indices } = this.enter(names);
    const { set } = this;
    set.listMirrored(components[0]!, indices);
    const slots = smallestOf(components);
    let next = 0;
    for (let i = 0, end = slots.length; i < end; ++i) {
      for (; next < indices.length && indices[next]! < set.indices[slots[i]!]!; ++next)
        this.visitMirrored(components, rows, indices[next]!, visit);
      this.visitOwn(components, rows, slots[i]!, visit);
    }
    for (; next < indices.length; ++next) this.visitMirrored(components, rows, indices[next]!, visit);
    --this.depth;
  }

  private visitOwn(components: readonly TrackedComponent[], rows: Row[], slot: number, visit: Visit): void {
    const { set } = this;
    if (set.alive[slot] === 1 && fillOwn(components, rows, slot)) call(visit, set.handles[slot]!, rows);
  }

  private visitMirrored(components: readonly TrackedComponent[], rows: Row[], index: number, visit: Visit): void {
    if (!this.fillForeign(components, rows, index)) return;
    call(visit, entityOf(index, this.mirror.world.generationAt(index)), rows);
  }

  private fillForeign(components: readonly TrackedComponent[], rows: Row[], index: number): boolean {
    for (let i = 0; i < components.length; ++i) {
      rows[i] = this.foreignRow(components[i]!, index);
      if (rows[i] === null) return false;
    }
    return true;
  }

  // Level, random numbers -------------------------------------------------------------------------------------------

  findStatic(id: bigint): LevelStatic | null {
    return this.levels.read().find((each) => each.id === id) ?? null;
  }

  findStaticOf(type: string): LevelStatic | null {
    const hash = fnv1a32(type);
    return this.levels.read().find((each) => each.type === hash) ?? null;
  }

  random(entity: bigint): Random {
    const key = this.spawnKeyOf(entity);
    if (key !== null) return this.keyed(keyKind.spawnKey, key.command, key.tick, key.ordinal, key.player);
    return this.keyed(keyKind.handle, generationOf(entity), 0, indexOf(entity), 0);
  }

  randomByKey(key: bigint | number): Random {
    const bits = BigInt(key);
    return this.keyed(keyKind.given, 0, 0, Number(BigInt.asUintN(32, bits)), Number(BigInt.asUintN(32, bits >> 32n)));
  }

  private spawnKeyOf(entity: bigint): Row | null {
    const { keys } = this.set;
    const slot = keys === null ? -1 : this.set.slotOf(entity);
    return slot >= 0 && keys!.rows.has[slot] === 1 ? keys!.rows.row(slot) : null;
  }

  private keyed(kind: number, highLow: number, highHigh: number, lowLow: number, lowHigh: number): Random {
    const words = this.keyWords;
    words[0] = kind;
    words[1] = this.tick;
    words[2] = highLow;
    words[3] = highHigh;
    words[4] = lowLow;
    words[5] = lowHigh;
    xxh3(this.keyBytes, this.keyBytes.length, this.bytes.seedLow, this.bytes.seedHigh);
    if (this.usedRandoms === this.randoms.length) this.randoms.push(new Random());
    const random = this.randoms[this.usedRandoms++]!;
    random.seed(hashLow, hashHigh);
    return random;
  }

  // Changes ---------------------------------------------------------------------------------------------------------

  spawn(command: Command, components: Components): bigint {
    const { keys } = this.set;
    if (keys === null) throw new Error("the schema has no SpawnKey: it does not include engine.fbs");
    const ordinal = this.nextOrdinal(command);
    const tracked = Object.keys(components).map((name) => this.set.componentOf(name));
    const slot = this.set.createLocal();
    if (slot < 0) return 0n;
    for (const each of tracked) {
      if (!each.isPredicted) throw new Error(`${each.component.name} has no predicted field and cannot be spawned`);
      each.rows.setDefault(slot);
      Object.assign(each.rows.row(slot), components[each.component.name]);
    }
    keys.rows.setDefault(slot);
    keys.writeKey(slot, this.tick, command.player, command.number, ordinal);
    return this.set.handles[slot]!;
  }

  private nextOrdinal({ player, number }: Command): number {
    let entry = this.spawned.find((each) => each.player === player && each.command === number);
    if (entry === undefined) this.spawned.push((entry = { player, command: number, count: 0 }));
    if (entry.count === spawnsMax) throw new Error(`command ${number} spawns more than ${spawnsMax} entities`);
    return entry.count++;
  }

  destroy(entity: bigint): void {
    const slot = this.set.slotOf(entity);
    if (slot >= 0) this.set.alive[slot] = 0;
  }

  effect(name: string, key: bigint | number, payload: Uint8Array = nothing): void {
    if (payload.length > payloadMax) throw new Error(`an effect has at most ${payloadMax} bytes`);
    this.effects.emit(name, BigInt.asUintN(64, BigInt(key)), this.tick, payload);
  }
}

/** Returns the slots of the component that the fewest entities have, so that an iteration costs what it visits. */
function smallestOf(components: readonly TrackedComponent[]): readonly number[] {
  let smallest = components[0]!.rows.slots;
  for (let i = 1; i < components.length; ++i) {
    const { slots } = components[i]!.rows;
    if (slots.length < smallest.length) smallest = slots;
  }
  return smallest;
}

function fillOwn(components: readonly TrackedComponent[], rows: Row[], slot: number): boolean {
  for (let i = 0; i < components.length; ++i) {
    const own = components[i]!.rows;
    if (own.has[slot] === 0) return false;
    rows[i] = own.row(slot);
  }
  return true;
}

function call(visit: Visit, entity: bigint, rows: readonly Row[]): void {
  switch (rows.length) {
    case 1:
      return visit(entity, rows[0]);
    case 2:
      return visit(entity, rows[0], rows[1]);
    case 3:
      return visit(entity, rows[0], rows[1], rows[2]);
    default:
      return visit(entity, ...rows);
  }
}
