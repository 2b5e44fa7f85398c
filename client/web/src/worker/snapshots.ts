// The newest values of a component, and those of some ticks before, on the page's side.
import { type Entity, entityOf, generationOf, indexOf } from "../core/entity.js";
import { blend, motionTicksMax } from "../mirror/blend.js";
import type { Values } from "../mirror/values.js";
import { type ComponentObject, toObject } from "../mirror/values_object.js";
import type { SentPool } from "./messages.js";

const snapshotsMax = 64;

class Snapshot {
  private readonly places = new Map<number, number>(); // by index

  constructor(readonly pool: SentPool) {
    pool.indices.forEach((index, place) => this.places.set(index, place));
  }

  /** Returns the place of an entity; -1 if it does not have the component. */
  find(entity: Entity): number {
    const place = this.places.get(indexOf(entity)) ?? -1;
    return place >= 0 && this.pool.generations[place] === generationOf(entity) ? place : -1;
  }
}

interface State {
  readonly pool: SentPool;
  readonly place: number;
  readonly tick: number;
}

const valueOf = ({ pool, place }: State, column: number): Values => {
  const { layout, values } = pool.columns[column]!;
  return values.slice(place * layout.size, (place + 1) * layout.size);
};

/** Returns how far a value has moved to a later one. It moves all the time if there were values between them. */
function partOf(earlier: State, later: State, view: number): number {
  const wasMoving = later.pool.formerTicks[later.place]! > earlier.tick;
  const begin = wasMoving ? earlier.tick : Math.max(earlier.tick, later.tick - motionTicksMax);
  return Math.max(0, (view - begin) / (later.tick - begin));
}

export class Snapshots {
  private readonly list: Snapshot[] = []; // by tick

  /** Adds newer values. Those that pictures from `viewTick` on do not need are forgotten. */
  add(pool: SentPool, viewTick: number): void {
    if (this.list.at(-1)?.pool.tick === pool.tick) this.list.pop();
    this.list.push(new Snapshot(pool));
    const oldest = viewTick - motionTicksMax;
    while (this.list.length > snapshotsMax || (this.list.length > 2 && this.list[1]!.pool.tick <= oldest))
      this.list.shift();
  }

  newest(): SentPool | null {
    return this.list.at(-1)?.pool ?? null;
  }

  entities(): Entity[] {
    const pool = this.newest();
    return pool === null ? [] : Array.from(pool.indices, (index, i) => entityOf(index, pool.generations[i]!));
  }

  has(entity: Entity): boolean {
    return (this.list.at(-1)?.find(entity) ?? -1) >= 0;
  }

  get(entity: Entity): ComponentObject | null {
    const place = this.list.at(-1)?.find(entity) ?? -1;
    if (place < 0) return null;
    const { columns } = this.newest()!;
    return toObject(
      columns,
      (which) => columns[which]!.values,
      ({ layout }) => place * layout.size,
    );
  }

  /** Returns the states around a moment: those whose values differ in tick, of the same entity. */
  private statesAround(entity: Entity, view: number): { earlier: State; later: State | null } | null {
    let earlier: State | null = null;
    for (const snapshot of this.list) {
      const place = snapshot.find(entity);
      if (place < 0) continue;
      const { pool } = snapshot;
      const state = { pool, place, tick: pool.ticks[place]! };
      if (earlier !== null && state.tick > view) return { earlier, later: state };
      earlier = state;
      if (state.tick > view) break; // all states are later
    }
    return earlier === null ? null : { earlier, later: null };
  }

  /** Returns the values at a moment that was received or lies between two received states. */
  sample(entity: Entity, view: number): ComponentObject | null {
    const around = this.has(entity) ? this.statesAround(entity, view) : null;
    if (around === null) return null;
    const { earlier, later } = around;
    const isMoving = later !== null && earlier.pool.motions[earlier.place] === later.pool.motions[later.place];
    const part = isMoving ? partOf(earlier, later, view) : 0;
    const { columns } = earlier.pool;
    const drawn = columns.map(({ layout }, which) => {
      const values = valueOf(earlier, which);
      if (part > 0) blend(layout.field, values, valueOf(later!, which), part);
      return values;
    });
    return toObject(
      columns,
      (which) => drawn[which]!,
      () => 0,
    );
  }
}
