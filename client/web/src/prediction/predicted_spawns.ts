// Changes of the entities that a prediction has spawned, for programs that show them. An entity is identified by its
// command and ordinal, since a replay may give its handle to another one.
import type { MatchedSpawn, PredictedSet } from "./predicted_set.js";
import { type SpawnKey, isSameSpawn } from "./spawn_key.js";

/**
 * A change of a local entity. `spawned`: a step has spawned it. `matched`: the server has spawned it, and it continues under
 * the handle `real`. `vanished`: it is destroyed, or the server has not spawned it.
 */
export interface SpawnNotice {
  readonly kind: "spawned" | "matched" | "vanished";
  readonly local: bigint;
  readonly real: bigint; // 0n unless matched
  readonly key: SpawnKey;
}

export interface LocalEntity {
  readonly entity: bigint;
  readonly key: SpawnKey;
}

const isSameLocal = (a: LocalEntity, b: LocalEntity): boolean => a.entity === b.entity && isSameSpawn(a.key, b.key);

export class PredictedSpawns {
  readonly notices: SpawnNotice[] = [];
  /** Local entities that are stepped. */
  locals: LocalEntity[] = [];

  clearNotices(): void {
    this.notices.length = 0;
  }

  private notify(kind: SpawnNotice["kind"], { entity, key }: LocalEntity, real = 0n): void {
    this.notices.push({ kind, local: entity, real, key });
  }

  /** Notes that local entities are about to continue as the server's. */
  onMatched(matched: readonly MatchedSpawn[]): void {
    for (const { key, real } of matched) {
      const place = this.locals.findIndex((local) => isSameSpawn(local.key, key));
      if (place >= 0) this.notify("matched", this.locals.splice(place, 1)[0]!, real);
    }
  }

  /** Compares the local entities with those of the last call. */
  update(set: PredictedSet): void {
    if (set.count === set.members && this.locals.length === 0) return;
    const before = this.locals;
    this.locals = [];
    for (let slot = set.members; slot < set.count; ++slot)
      if (set.alive[slot] === 1) this.locals.push({ entity: set.handles[slot]!, key: set.keyOf(slot)! });
    for (const each of before)
      if (!this.locals.some((local) => isSameLocal(local, each))) this.notify("vanished", each);
    for (const each of this.locals) if (!before.some((local) => isSameLocal(local, each))) this.notify("spawned", each);
  }

  /** Ends all local entities. */
  clear(): void {
    for (const each of this.locals) this.notify("vanished", each);
    this.locals = [];
  }
}
