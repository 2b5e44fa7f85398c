// How a predicted tick differs from the mirror.
import type { Mirror } from "../mirror/mirror.js";
import { indexOf } from "../core/entity.js";
import type { PredictedSet } from "./predicted_set.js";
import type { Snapshot } from "./snapshot_ring.js";
import type { TrackedComponent } from "./tracked_component.js";

// Local entities that have ended, beyond which the set is rebuilt without them.
const endedLocalsMax = 64;

export interface SetDifference {
  /** Predicted values, or which predicted entities there are. */
  values: boolean;
  /** The set of members, their components or owners. */
  members: boolean;
  /** Components of members that steps only read. */
  inputs: boolean;
  /** The first entity with other values, in the mirror if it is there. */
  entity: bigint;
  /** Its slot; -1 if the set lacks it. */
  slot: number;
  /** Null if one side lacks the entity. */
  component: TrackedComponent | null;
}

export class SetComparison {
  readonly found: SetDifference = {
    values: false,
    members: false,
    inputs: false,
    entity: 0n,
    slot: -1,
    component: null,
  };

  constructor(
    private readonly mirror: Mirror,
    private readonly set: PredictedSet,
  ) {}

  /** Compares a snapshot of the mirror's tick with the mirror, after PredictedSet.collect(). Returns `found`. */
  compare(snapshot: Snapshot): SetDifference {
    const { found, set } = this;
    found.values = false;
    found.entity = 0n;
    found.slot = -1;
    found.component = null;
    found.members = !set.areMembersCollected();
    for (let slot = 0; slot < set.members; ++slot) this.compareMember(snapshot, slot);
    this.compareLocals(snapshot);
    found.inputs = !found.members && this.inputsDiffer();
    return found;
  }

  any(): boolean {
    return this.found.values || this.found.members || this.found.inputs;
  }

  private note(entity: bigint, slot: number, component: TrackedComponent | null): void {
    const { found } = this;
    if (found.values) return;
    found.values = true;
    found.entity = entity;
    found.slot = slot;
    found.component = component;
  }

  private compareMember(snapshot: Snapshot, slot: number): void {
    const { set } = this;
    const { index, generation, owner } = set.memberAt(slot);
    const isPredicted = snapshot.alive[slot] === 1;
    const place = set.findCollected(index, generation);
    if (isPredicted && place >= 0)
      return this.compareRows(snapshot, slot, index, set.handles[slot]!, set.collected[place]!.owner && owner);
    if (isPredicted ? this.isDestroyed(index, generation) : place >= 0) this.note(set.handles[slot]!, slot, null);
  }

  /** Returns whether an entity has ended, as far as the mirror knows. One that went out of view may be forgotten. */
  private isDestroyed(index: number, generation: number): boolean {
    const { world, state } = this.mirror;
    if (world.has(index, generation)) return false;
    const former = state.known[state.former.get(index) ?? -1];
    return former === undefined || former.formerGeneration !== generation || former.destroyed;
  }

  private compareRows(snapshot: Snapshot, slot: number, index: number, entity: bigint, owner: boolean): void {
    const { predicted } = this.set;
    for (let i = 0; i < predicted.length && !this.found.values; ++i) {
      const tracked = predicted[i]!;
      const place = tracked.mirrored(index);
      if (slot >= snapshot.count || tracked.rows.has[slot] === 0 || place < 0) continue; // its components have changed
      if (!tracked.isEqual(snapshot.rows[i]!, slot, place, owner)) this.note(entity, slot, tracked);
    }
  }

  private compareLocals(snapshot: Snapshot): void {
    const { set } = this;
    for (const { localSlot, real } of set.matched) {
      const isThere = localSlot >= 0 && localSlot < snapshot.count && snapshot.alive[localSlot] === 1;
      if (isThere) this.compareRows(snapshot, localSlot, indexOf(real), real, true);
      else this.note(real, localSlot, null);
    }
    for (let slot = set.members; slot < snapshot.count; ++slot) {
      if (snapshot.alive[slot] === 0) continue;
      this.found.members = true;
      if (!set.matched.some((each) => each.localSlot === slot)) this.note(set.handles[slot]!, slot, null);
    }
    if (snapshot.count - set.members > endedLocalsMax) this.found.members = true;
  }

  private inputsDiffer(): boolean {
    const { set } = this;
    for (const tracked of set.declared)
      for (let slot = 0; slot < set.members; ++slot) {
        if (tracked.rows.has[slot] === 0) continue;
        const { index, owner } = set.memberAt(slot);
        const place = tracked.mirrored(index);
        if (place >= 0 && !tracked.isEqual(tracked.rows.views.bytes, slot, place, owner)) return true;
      }
    return false;
  }
}
