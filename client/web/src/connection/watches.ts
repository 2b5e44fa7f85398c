// Callbacks by component. An entity counts as present while it is in view and has the component.
import type { Mirror } from "../mirror/mirror.js";
import type { Pool } from "../mirror/pool.js";

type Callback = (index: number, generation: number) => void;
type Kind = "spawn" | "change" | "despawn";

interface Watch {
  readonly component: string;
  readonly callbacks: Record<Kind, Callback[]>;
  pool: Pool | null;
  /** Generations of the entities that are present, by index. */
  present: Map<number, number>;
}

/** Calls back, without the callbacks that are added meanwhile: those are called for what is present by add(). */
function call(callbacks: readonly Callback[], index: number, generation: number): void {
  for (let i = 0, { length } = callbacks; i < length; ++i) callbacks[i]!(index, generation);
}

export class Watches {
  private readonly watches = new Map<string, Watch>();
  private mirror: Mirror | null = null;

  add(kind: Kind, component: string, callback: Callback): void {
    let watch = this.watches.get(component);
    if (watch === undefined) {
      watch = { component, callbacks: { spawn: [], change: [], despawn: [] }, pool: null, present: new Map() };
      this.watches.set(component, watch);
      if (this.mirror !== null) this.list(watch, this.mirror);
    }
    watch.callbacks[kind].push(callback);
    if (kind === "spawn") for (const [index, generation] of watch.present) callback(index, generation);
  }

  /** Begins with a mirror. All entities of the former one despawn. */
  begin(mirror: Mirror): void {
    this.mirror = mirror;
    const former = [...this.watches.values()].map((watch) => ({ ...watch }));
    for (const watch of this.watches.values()) {
      watch.present = new Map();
      watch.pool = null;
    }
    for (const { present, callbacks } of former)
      for (const [index, generation] of present) call(callbacks.despawn, index, generation);
  }

  /** Goes on with a mirror of the same entities, whose changes list what differs from the former one. */
  continueWith(mirror: Mirror): void {
    this.mirror = mirror;
    for (const watch of this.watches.values()) watch.pool = mirror.world.findPool(watch.component);
  }

  private list(watch: Watch, mirror: Mirror): void {
    watch.pool = mirror.world.findPool(watch.component);
    for (let place = 0; watch.pool !== null && place < watch.pool.count; ++place) {
      const index = watch.pool.indices[place]!;
      const generation = mirror.world.generationAt(index);
      if (!mirror.isStale(index, generation)) watch.present.set(index, generation);
    }
  }

  onChanged(pool: Pool, index: number, generation: number): void {
    for (const watch of this.watches.values())
      if (watch.pool === pool && watch.present.get(index) === generation)
        call(watch.callbacks.change, index, generation);
  }

  /** Handles an entity that spawned or despawned, or has other components. */
  onEntity(index: number, generation: number): void {
    const mirror = this.mirror!;
    for (const watch of this.watches.values()) {
      watch.pool ??= mirror.world.findPool(watch.component);
      const isThere = mirror.world.has(index, generation) && !mirror.isStale(index, generation);
      const has = isThere && watch.pool !== null && watch.pool.find(index) >= 0;
      const had = watch.present.get(index) === generation;
      if (has === had) continue;
      if (has) watch.present.set(index, generation);
      else watch.present.delete(index);
      call(watch.callbacks[has ? "spawn" : "despawn"], index, generation);
    }
  }
}
