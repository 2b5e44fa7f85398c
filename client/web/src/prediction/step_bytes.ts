// Components of a world as bytes, in the layout of the schema's structs: for steps that are compiled, and have structs.
import type { Mirror } from "../mirror/mirror.js";
import type { Schema } from "../reflect/schema.js";
import type { LevelStatic } from "../resource/level_file.js";
import type { PredictedSet } from "./predicted_set.js";
import type { StepLevels } from "./step_levels.js";
import type { TrackedComponent } from "./tracked_component.js";

/** Called with an entity's component: the bytes from `at` on, which are valid during the call. */
export type VisitBytes = (index: number, generation: number, bytes: Uint8Array, at: number) => void;

export interface StepBytes {
  readonly schema: Schema;
  /** Halves of the seed of the world's random numbers. */
  readonly seedLow: number;
  readonly seedHigh: number;
  /** Statics of the level, ascending by id: the same array as long as the level is the same. */
  readonly statics: readonly LevelStatic[];
  /** Handle of the entity that the step spawns next. The index of each further one is greater by 1. */
  readonly nextSpawned: bigint;
  /** The index from which on none can be spawned. */
  readonly spawnedEnd: number;
  /** Calls for each stepped entity, ascending by index. */
  eachStepped(visit: (index: number, generation: number) => void): void;
  /** Calls for each stepped entity with a component, or with a SpawnKey, ascending by index. */
  eachSteppedRow(component: string, visit: VisitBytes): void;
  /** Another number as soon as eachVisibleRow() may give something else. From 0 on. */
  readonly visibleVersion: number;
  /** Calls for each other visible entity with a component, ascending by index. */
  eachVisibleRow(component: string, visit: VisitBytes): void;
  /** Writes a predicted component of a stepped entity. Does nothing for others. */
  writeRow(entity: bigint, component: string, bytes: Uint8Array, at: number): void;
}


export class ClientBytes implements StepBytes {
  /** Number of the update in progress, during which the mirror does not change. */
  update = 0;
  private readonly indices: number[] = [];
  private version = 0;
  private versionUpdate = 0; // update and rebuilds that the version stands for
  private versionRebuilds = 0;

  constructor(
    private readonly mirror: Mirror,
    private readonly set: PredictedSet,
    private readonly levels: StepLevels,
    readonly seedLow: number,
    readonly seedHigh: number,
  ) {}

  get schema(): Schema {
    return this.mirror.world.schema;
  }

  get statics(): readonly LevelStatic[] {
    return this.levels.read();
  }

  get nextSpawned(): bigint {
    return this.set.nextHandle;
  }

  get visibleVersion(): number {
    const { rebuilds } = this.set;
    if (this.update === this.versionUpdate && rebuilds === this.versionRebuilds) return this.version;
    this.versionUpdate = this.update;
    this.versionRebuilds = rebuilds;
    return ++this.version;
  }

  get spawnedEnd(): number {
    return this.set.localEnd;
  }

  /** Returns a component that steps may use, or the SpawnKey, by which random numbers are drawn. */
  private tracked(component: string): TrackedComponent {
    const { keys } = this.set;
    return keys?.component.name === component ? keys : this.set.componentOf(component);
  }

  eachStepped(visit: (index: number, generation: number) => void): void {
    const { set } = this;
    for (let slot = 0; slot < set.count; ++slot)
      if (set.alive[slot] === 1) visit(set.indices[slot]!, set.generations[slot]!);
  }

  eachSteppedRow(component: string, visit: VisitBytes): void {
    const { set } = this;
    const { rows } = this.tracked(component);
    const { size } = rows.component;
    for (let slot = 0; slot < set.count; ++slot)
      if (set.alive[slot] === 1 && rows.has[slot] === 1)
        visit(set.indices[slot]!, set.generations[slot]!, rows.views.bytes, slot * size);
  }

  eachVisibleRow(component: string, visit: VisitBytes): void {
    const tracked = this.tracked(component);
    this.set.listMirrored(tracked, this.indices);
    for (const index of this.indices) {
      const place = tracked.foreignPlace(index, this.update);
      const { views } = tracked.foreign;
      visit(index, this.mirror.world.generationAt(index), views.bytes, place * tracked.component.size);
    }
  }

  writeRow(entity: bigint, component: string, bytes: Uint8Array, at: number): void {
    const { rows, isPredicted } = this.tracked(component);
    const slot = this.set.slotOf(entity);
    if (slot < 0 || this.set.alive[slot] === 0 || rows.has[slot] === 0 || !isPredicted) return;
    rows.touch(slot);
    const { size } = rows.component;
    for (let i = 0; i < size; ++i) rows.views.bytes[slot * size + i] = bytes[at + i]!;
  }
}
