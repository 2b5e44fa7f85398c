// A world of a server in this process, in which a step runs over all entities. After each step predicted fields are
// rounded, as server and clients do it. Handles are given as the server's registry gives them.
import { Random } from "../../src/core/random.js";
import { hashHigh, hashLow, xxh3 } from "../../src/core/xxh3.js";
import { World } from "../../src/mirror/world.js";
import { TrackedComponent } from "../../src/prediction/tracked_component.js";
import type { Command, Components, PredictedWorld, Row, Visit } from "../../src/prediction/rules.js";
import type { StepBytes, VisitBytes } from "../../src/prediction/step_bytes.js";
import type { Schema } from "../../src/reflect/schema.js";
import type { LevelStatic } from "../../src/resource/level_file.js";

const handleOf = (index: number, generation: number): bigint => (BigInt(generation) << 32n) | BigInt(index);

export interface EmittedEffect {
  readonly name: string;
  readonly key: bigint;
  readonly payload: Uint8Array;
}

export class RuledWorld implements PredictedWorld {
  tick = 1;
  readonly secondsPerTick: number;
  readonly components = new Map<string, TrackedComponent>();
  /** By index; 0 for none. */
  readonly generations: number[] = [];
  /** Effects of the last step. */
  readonly effects: EmittedEffect[] = [];
  statics: LevelStatic[] = [];
  readonly bytes: StepBytes;
  private readonly nextGenerations: number[] = [];
  private readonly free: number[] = [];
  private readonly ordinals = new Map<string, number>();

  constructor(
    readonly schema: Schema,
    readonly ticksPerSecond = 20,
    private readonly seed = 5n,
  ) {
    this.bytes = new RuledBytes(this, Number(seed & 0xffff_ffffn), Number(seed >> 32n));
    const world = new World(schema, 1 << 20);
    this.secondsPerTick = Math.fround(1 / ticksPerSecond);
    for (const component of schema.components.values())
      this.components.set(component.name, new TrackedComponent(world, component, true));
  }

  private tracked(name: string): TrackedComponent {
    const found = this.components.get(name);
    if (found === undefined) throw new Error(`no component ${name}`);
    return found;
  }

  private indexOf(entity: bigint): number {
    const index = Number(entity & 0xffff_ffffn);
    return this.generations[index] !== undefined && handleOf(index, this.generations[index]!) === entity ? index : -1;
  }

  // A world's own functions -----------------------------------------------------------------------------------------

  /** Returns the handle of the next entity. */
  next(): bigint {
    const index = this.free[0] ?? this.generations.length;
    return handleOf(index, this.nextGenerations[index] ?? 1);
  }

  create(components: Components): bigint {
    const next = this.next();
    const [index, generation] = [Number(next & 0xffff_ffffn), Number(next >> 32n)];
    this.free.shift();
    this.generations[index] = generation;
    for (const { rows } of this.components.values()) {
      rows.reserve(index + 1);
      rows.has[index] = 0;
    }
    for (const [name, values] of Object.entries(components)) {
      const { rows } = this.tracked(name);
      rows.setDefault(index);
      Object.assign(rows.row(index), values);
    }
    return handleOf(index, generation);
  }

  /** Runs a step, and rounds. */
  run(step: () => void): void {
    this.effects.length = 0;
    this.ordinals.clear();
    step();
    for (const tracked of this.components.values()) tracked.clean(this.generations.length);
    ++this.tick;
  }

  entities(component: string): bigint[] {
    const found: bigint[] = [];
    this.generations.forEach((generation, index) => {
      if (generation !== 0 && this.tracked(component).rows.has[index] === 1) found.push(handleOf(index, generation));
    });
    return found;
  }

  /** Returns the bytes of a component. */
  bytesOf(entity: bigint, name: string): Uint8Array {
    const { rows } = this.tracked(name);
    const { size } = rows.component;
    const index = this.indexOf(entity);
    return rows.views.bytes.subarray(index * size, (index + 1) * size);
  }

  // Those of a step -------------------------------------------------------------------------------------------------

  steps(entity: bigint): boolean {
    return this.indexOf(entity) >= 0;
  }

  tryGet(entity: bigint, name: string): Row | null {
    const index = this.indexOf(entity);
    const { rows } = this.tracked(name);
    return index >= 0 && rows.has[index] === 1 ? rows.row(index) : null;
  }

  get(entity: bigint, name: string): Row {
    const found = this.tryGet(entity, name);
    if (found === null) throw new Error(`no ${name}`);
    return found;
  }

  tryWrite(entity: bigint, name: string): Row | null {
    return this.tryGet(entity, name);
  }

  each(names: readonly string[], visit: Visit): void {
    for (const entity of this.entities(names[0]!)) {
      const rows = this.steps(entity) ? names.map((name) => this.tryGet(entity, name)) : [null];
      if (!rows.includes(null)) visit(entity, ...rows);
    }
  }

  eachVisible(names: readonly string[], visit: Visit): void {
    this.each(names, visit);
  }

  findStatic(id: bigint): LevelStatic | null {
    return this.statics.find((each) => each.id === id) ?? null;
  }

  findStaticOf(): LevelStatic | null {
    return this.statics[0] ?? null;
  }

  private keyed(kind: bigint, high: bigint, low: bigint): Random {
    const words = BigUint64Array.of((BigInt(this.tick) << 32n) | kind, high, low);
    const [seedLow, seedHigh] = [Number(this.seed & 0xffff_ffffn), Number(this.seed >> 32n)];
    xxh3(new Uint8Array(words.buffer), 24, seedLow, seedHigh);
    return new Random((BigInt(hashHigh) << 32n) | BigInt(hashLow));
  }

  random(entity: bigint): Random {
    const key = this.tryGet(entity, "SpawnKey");
    if (key === null) return this.keyed(1n, entity >> 32n, entity & 0xffff_ffffn);
    return this.keyed(2n, handleOf(key.command, key.tick), handleOf(key.ordinal, key.player));
  }

  randomByKey(key: bigint | number): Random {
    return this.keyed(0n, 0n, BigInt.asUintN(64, BigInt(key)));
  }

  spawn(command: Command, components: Components): bigint {
    const name = `${command.player}/${command.number}`;
    const ordinal = this.ordinals.get(name) ?? 0;
    this.ordinals.set(name, ordinal + 1);
    const entity = this.create(components);
    const { rows } = this.tracked("SpawnKey");
    const index = this.indexOf(entity);
    rows.setDefault(index);
    this.tracked("SpawnKey").writeKey(index, this.tick, command.player, command.number, ordinal);
    return entity;
  }

  destroy(entity: bigint): void {
    const index = this.indexOf(entity);
    if (index < 0) return;
    this.nextGenerations[index] = this.generations[index]! + 1;
    this.generations[index] = 0;
    this.free.push(index);
    for (const { rows } of this.components.values()) rows.has[index] = 0;
  }

  effect(name: string, key: bigint | number, payload = new Uint8Array(0)): void {
    this.effects.push({ name, key: BigInt(key), payload: payload.slice() });
  }
}

/** The components of a world as bytes. */
class RuledBytes implements StepBytes {
  constructor(
    private readonly world: RuledWorld,
    readonly seedLow: number,
    readonly seedHigh: number,
  ) {}

  get schema(): Schema {
    return this.world.schema;
  }

  get statics(): readonly LevelStatic[] {
    return this.world.statics;
  }

  /** Valid for one spawn: handles of destroyed entities are used again. */
  get nextSpawned(): bigint {
    return this.world.next();
  }

  readonly spawnedEnd = 1 << 20;
  readonly visibleVersion = 0;

  eachStepped(visit: (index: number, generation: number) => void): void {
    this.world.generations.forEach((generation, index) => generation !== 0 && visit(index, generation));
  }

  eachSteppedRow(component: string, visit: VisitBytes): void {
    for (const entity of this.world.entities(component))
      visit(Number(entity & 0xffff_ffffn), Number(entity >> 32n), this.world.bytesOf(entity, component), 0);
  }

  eachVisibleRow(): void {
    // A server steps all entities.
  }

  writeRow(entity: bigint, component: string, bytes: Uint8Array, at: number): void {
    const row = this.world.tryGet(entity, component);
    if (row === null) return;
    row.$rows.touch(row.$slot);
    const to = this.world.bytesOf(entity, component);
    to.set(bytes.subarray(at, at + to.length));
  }
}
