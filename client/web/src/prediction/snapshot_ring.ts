// Predicted components after each of the last ticks, as rows by slot.
//
// Slots only grow between two changes of the predicted set, which rearrange the ring. Steps append the entities that they
// spawn, and a predicted destruction merely clears the slot's mark. So a snapshot is a prefix of all rows, and save and
// restore copy whole arrays.
import type { PredictedSet } from "./predicted_set.js";

export interface Snapshot {
  valid: boolean;
  tick: number;
  count: number; // slots
  nextLocal: number;
  alive: Uint8Array;
  /** By component: rows by slot. */
  readonly rows: Uint8Array[];
}

export class SnapshotRing {
  private readonly snapshots: Snapshot[];

  /** Keeps `ticks` snapshots. */
  constructor(
    private readonly set: PredictedSet,
    ticks: number,
  ) {
    this.snapshots = Array.from({ length: ticks }, () => ({
      valid: false,
      tick: 0,
      count: 0,
      nextLocal: 0,
      alive: new Uint8Array(0),
      rows: set.predicted.map(() => new Uint8Array(0)),
    }));
  }

  private at(tick: number): Snapshot {
    return this.snapshots[tick % this.snapshots.length]!;
  }

  /** Keeps the present components as those of a tick, in place of the oldest snapshot. */
  save(tick: number): void {
    const { set } = this;
    const into = this.at(tick);
    into.valid = true;
    into.tick = tick;
    into.count = set.count;
    into.nextLocal = set.nextLocal;
    if (into.alive.length !== set.alive.length) into.alive = new Uint8Array(set.alive.length);
    into.alive.set(set.alive);
    for (let i = 0; i < into.rows.length; ++i) {
      const { bytes } = set.predicted[i]!.rows.views;
      if (into.rows[i]!.length !== bytes.length) into.rows[i] = new Uint8Array(bytes.length);
      into.rows[i]!.set(bytes);
    }
  }

  /** Returns the set to what it was after a tick that the ring has. Removes what was spawned since. */
  restore(tick: number): void {
    const from = this.snapshot(tick);
    const { set } = this;
    set.truncate(from.count, from.nextLocal);
    set.alive.set(from.alive);
    for (let i = 0; i < from.rows.length; ++i) {
      const { rows } = set.predicted[i]!;
      rows.views.bytes.set(from.rows[i]!);
      rows.written.fill(0);
    }
  }

  clear(): void {
    for (const each of this.snapshots) each.valid = false;
  }

  has(tick: number): boolean {
    return this.at(tick).valid && this.at(tick).tick === tick;
  }

  /** Returns the snapshot of a tick that the ring has. */
  snapshot(tick: number): Snapshot {
    if (!this.has(tick)) throw new Error(`no snapshot of tick ${tick}`);
    return this.at(tick);
  }

  /**
   * Rearranges the snapshots of ticks from `first` up to `end`, exclusive, after the set was rebuilt. They are for showing:
   * they are not restored. Others are dropped.
   */
  rearrange(first: number, end: number): void {
    for (const each of this.snapshots) {
      each.valid &&= each.tick >= first && each.tick < end;
      if (each.valid) this.rearrangeOne(each);
    }
  }

  private rearrangeOne(snapshot: Snapshot): void {
    const { predicted, formerSlots, count } = this.set;
    const before = { alive: snapshot.alive, rows: snapshot.rows.slice() };
    const formerOf = (slot: number): number => (formerSlots[slot]! < snapshot.count ? formerSlots[slot]! : -1);
    snapshot.alive = new Uint8Array(this.set.alive.length);
    for (let slot = 0; slot < count; ++slot)
      if (formerOf(slot) >= 0) snapshot.alive[slot] = before.alive[formerOf(slot)]!;
    predicted.forEach(({ rows, component: { size, defaults } }, i) => {
      const bytes = new Uint8Array(rows.views.bytes.length);
      for (let slot = 0; slot < count; ++slot) {
        const from = formerOf(slot);
        bytes.set(from < 0 ? defaults : before.rows[i]!.subarray(from * size, (from + 1) * size), slot * size);
      }
      snapshot.rows[i] = bytes;
    });
    snapshot.count = count;
  }
}
