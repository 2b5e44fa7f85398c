// A world for modules of rules, as plain arrays: entities in ascending order, each with its components as bytes. After
// each step predicted fields are rounded, as server and clients do it.
import { World } from "../../src/mirror/world.js";
import { TrackedComponent } from "../../src/prediction/tracked_component.js";
import type { Schema } from "../../src/reflect/schema.js";
import type { Command, Components } from "../../src/prediction/rules.js";
import type { StepBytes, VisitBytes } from "../../src/prediction/step_bytes.js";
import type { LevelStatic } from "../../src/resource/level_file.js";
import type { ModuleWorld } from "../../src/rules_module/rules_module.js";

export interface PlainEntity {
  readonly index: number;
  readonly generation: number;
  readonly rows: Map<string, Uint8Array>;
}

export interface PlainEffect {
  readonly name: string;
  readonly key: bigint;
  readonly payload: Uint8Array;
}

export const handleOf = ({ index, generation }: PlainEntity): bigint => (BigInt(generation) << 32n) | BigInt(index);

export class PlainWorld implements ModuleWorld, StepBytes {
  readonly ticksPerSecond = 20;
  readonly seedLow = 5;
  readonly seedHigh = 7;
  tick = 1;
  statics: readonly LevelStatic[] = [];
  spawnedEnd = 1 << 20;
  visibleVersion = 0;
  stepped: PlainEntity[] = [];
  readonly visible: PlainEntity[] = [];
  readonly effects: PlainEffect[] = [];
  private readonly tracked = new Map<string, TrackedComponent>();
  private nextIndex = 1;

  constructor(readonly schema: Schema) {
    const world = new World(schema, 1 << 20);
    for (const component of schema.components.values()) {
      const tracked = new TrackedComponent(world, component, true);
      this.tracked.set(component.name, tracked);
    }
  }

  get bytes(): StepBytes {
    return this;
  }

  get nextSpawned(): bigint {
    return (1n << 32n) | BigInt(this.nextIndex);
  }

  /** Adds an entity. `components` are given as objects, like those of spawn(). */
  create(components: Components, to = this.stepped): PlainEntity {
    const entity = { index: this.nextIndex++, generation: 1, rows: new Map<string, Uint8Array>() };
    for (const [name, values] of Object.entries(components)) {
      const { rows } = this.tracked.get(name)!;
      rows.setDefault(0);
      Object.assign(rows.row(0), values);
      entity.rows.set(name, rows.views.bytes.slice(0, rows.component.size));
    }
    to.push(entity);
    return entity;
  }

  find(entity: bigint): PlainEntity | undefined {
    return this.stepped.find((each) => handleOf(each) === entity);
  }

  /** Returns a component as a row with the names of its fields. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  row(entity: PlainEntity, name: string): any {
    const { rows } = this.tracked.get(name)!;
    rows.views.bytes.set(entity.rows.get(name)!);
    return rows.row(0);
  }

  /** Ends a tick: rounds what entities have. */
  round(): void {
    for (const { rows } of this.stepped)
      for (const [name, bytes] of rows) {
        const tracked = this.tracked.get(name)!;
        tracked.rows.views.bytes.set(bytes);
        tracked.rows.has[0] = tracked.rows.written[0] = 1;
        tracked.clean(1);
        bytes.set(tracked.rows.views.bytes.subarray(0, bytes.length));
      }
    ++this.tick;
  }

  eachStepped(visit: (index: number, generation: number) => void): void {
    for (const { index, generation } of this.stepped) visit(index, generation);
  }

  eachSteppedRow(component: string, visit: VisitBytes): void {
    eachRow(this.stepped, component, visit);
  }

  eachVisibleRow(component: string, visit: VisitBytes): void {
    eachRow(this.visible, component, visit);
  }

  writeRow(entity: bigint, component: string, bytes: Uint8Array, at: number): void {
    const row = this.find(entity)!.rows.get(component)!;
    row.set(bytes.subarray(at, at + row.length));
  }

  spawn(command: Command, components: Components): bigint {
    const spawned = this.stepped.filter(({ rows }) => rows.has("SpawnKey")).length;
    const { player, number } = command;
    const key = { tick: this.tick, player, command: number, ordinal: spawned & 255 };
    return handleOf(this.create({ ...components, SpawnKey: key }));
  }

  destroy(entity: bigint): void {
    this.stepped = this.stepped.filter((each) => handleOf(each) !== entity);
  }

  effect(name: string, key: bigint | number, payload = new Uint8Array(0)): void {
    this.effects.push({ name, key: BigInt(key), payload: payload.slice() });
  }
}

function eachRow(entities: readonly PlainEntity[], component: string, visit: VisitBytes): void {
  for (const { index, generation, rows } of entities) {
    const row = rows.get(component);
    if (row !== undefined) visit(index, generation, row, 0);
  }
}
