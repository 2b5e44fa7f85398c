// Changes of a mirror between two updates, in order. A component of an entity is listed once, however often it changes.
import type { Pool } from "./pool.js";

export const changeKind = { spawned: 0, composed: 1, changed: 2, lost: 3, destroyed: 4 } as const;

export class ChangeList {
  count = 0;
  kinds = new Uint8Array(64);
  indices = new Uint32Array(64);
  generations = new Uint32Array(64);
  /** Pool of the component that has changed; null for an entity. */
  readonly pools: (Pool | null)[] = [];

  add(kind: number, index: number, generation: number, pool: Pool | null): void {
    if (this.count === this.kinds.length) this.grow();
    this.kinds[this.count] = kind;
    this.indices[this.count] = index;
    this.generations[this.count] = generation;
    this.pools[this.count++] = pool;
  }

  private grow(): void {
    const size = 2 * this.count;
    const [kinds, indices, generations] = [new Uint8Array(size), new Uint32Array(size), new Uint32Array(size)];
    kinds.set(this.kinds);
    indices.set(this.indices);
    generations.set(this.generations);
    Object.assign(this, { kinds, indices, generations });
  }
}

export class Changes {
  /** Changes before the last handOut(). Valid until the next one. */
  list = new ChangeList();
  /** Changes since then. */
  collected = new ChangeList();
  private update = 1;

  add(kind: number, index: number, generation: number): void {
    this.collected.add(kind, index, generation, null);
  }

  /** Lists a component as changed, unless it is listed already. */
  addChanged(pool: Pool, place: number, index: number, generation: number): void {
    if (pool.listed[place] === this.update) return;
    pool.listed[place] = this.update;
    this.collected.add(changeKind.changed, index, generation, pool);
  }

  /** Makes components of an entity that is listed as a whole count as listed. */
  mark(pools: readonly Pool[], index: number): void {
    for (const pool of pools) pool.listed[pool.find(index)] = this.update;
  }

  /** Forgets the changes since the last handOut(). */
  drop(): void {
    this.collected.count = 0;
    this.update = (this.update % 0xffff_ffff) + 1;
  }

  handOut(): void {
    const free = this.list;
    free.count = 0;
    this.list = this.collected;
    this.collected = free;
    this.update = (this.update % 0xffff_ffff) + 1;
  }
}
