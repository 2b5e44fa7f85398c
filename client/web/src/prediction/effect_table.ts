// Effects that predicted steps emit. A name and key begin an effect once, however often the tick is replayed. It ends
// once: confirmed if the reconciled tick has emitted it, else cancelled.
//
//   emitted --> started --reconciled tick has it---> confirmed
//                  +------reconciled tick lacks it-> cancelled
//
// A replay may emit a running effect in another tick, since a late command runs later. An effect that a replay does not
// emit keeps running until its tick is reconciled: the next replay may have it again. Ended effects are remembered for a
// while after the last tick that emits them. During that time the same name and key begin nothing. A new effect that finds
// the table full takes the place of the oldest ended one.
import { indexOf } from "../core/entity.js";

/**
 * Returns the key of what an entity does once: in a tick, or by a command. `number` is the tick or the command's number, and
 * the same of both for all effects of a name.
 */
export function effectKey(entity: bigint, number: number): bigint {
  return (BigInt(indexOf(entity)) << 32n) | BigInt(number);
}

/** An effect of a step. Its name and key identify it. */
export interface Effect {
  readonly name: string;
  readonly key: bigint;
  readonly tick: number;
  readonly payload: Uint8Array;
}

/** Beginning or end of an effect. */
export interface EffectNotice extends Effect {
  readonly kind: "started" | "confirmed" | "cancelled";
}

export const effectsMax = 2048; // running or remembered
const rememberedTicks = 128; // after the last tick that emits an ended effect

interface Entry {
  readonly name: string;
  readonly key: bigint;
  readonly payload: Uint8Array;
  tick: number;
  running: boolean;
  emitted: boolean; // by the newest pass over its tick
}

export class EffectTable {
  /** Beginnings and ends since clearNotices(). */
  readonly notices: EffectNotice[] = [];
  /** Effects that were not begun, because effectsMax were running. */
  dropped = 0;
  private readonly entries: Entry[] = [];
  private readonly byName = new Map<string, Map<bigint, Entry>>();

  clearNotices(): void {
    this.notices.length = 0;
  }

  /** Notes that all ticks after `tick` are about to be computed, for the first time or again. */
  beginPass(tick: number): void {
    for (const entry of this.entries) if (entry.running && entry.tick > tick) entry.emitted = false;
  }

  private notify(kind: EffectNotice["kind"], { name, key, tick, payload }: Entry): void {
    this.notices.push({ kind, name, key, tick, payload });
  }

  /** Notes an effect of a step. Its payload is copied when it begins. */
  emit(name: string, key: bigint, tick: number, payload: Uint8Array): void {
    const known = this.byName.get(name)?.get(key);
    if (known !== undefined) {
      if (!known.running) known.tick = Math.max(known.tick, tick);
      if (!known.running || known.emitted) return;
      known.emitted = true;
      known.tick = tick;
      return;
    }
    if (!this.hasPlace()) return void ++this.dropped;
    const entry = { name, key, tick, payload: payload.slice(), running: true, emitted: true };
    this.entries.push(entry);
    let keys = this.byName.get(name);
    if (keys === undefined) this.byName.set(name, (keys = new Map()));
    keys.set(key, entry);
    this.notify("started", entry);
  }

  /** Makes a place for a new effect. Returns false if all entries run. */
  private hasPlace(): boolean {
    if (this.entries.length < effectsMax) return true;
    let oldest = -1;
    this.entries.forEach(({ running, tick }, place) => {
      if (!running && (oldest < 0 || tick < this.entries[oldest]!.tick)) oldest = place;
    });
    if (oldest >= 0) this.remove(oldest);
    return oldest >= 0;
  }

  /** Removes an entry. The last one takes its place. */
  private remove(place: number): void {
    const { name, key } = this.entries[place]!;
    const keys = this.byName.get(name)!;
    keys.delete(key);
    if (keys.size === 0) this.byName.delete(name);
    const last = this.entries.pop()!;
    if (place < this.entries.length) this.entries[place] = last;
  }

  /** Ends the effects up to `tick`, which is reconciled. The pass that computed it is complete. */
  settle(tick: number): void {
    for (let i = 0; i < this.entries.length;) {
      const entry = this.entries[i]!;
      if (entry.running && entry.tick <= tick) {
        entry.running = false;
        this.notify(entry.emitted ? "confirmed" : "cancelled", entry);
      }
      if (entry.running || tick - entry.tick <= rememberedTicks) ++i;
      else this.remove(i);
    }
  }

  /** Cancels all running effects. They are remembered: a late command may emit them again. */
  cancelRunning(): void {
    for (const entry of this.entries) {
      if (!entry.running) continue;
      entry.running = false;
      this.notify("cancelled", entry);
    }
  }

  /** Forgets all effects, as names and keys begin anew. Cancels those that run. */
  clear(): void {
    this.cancelRunning();
    this.entries.length = 0;
    this.byName.clear();
  }

  running(): number {
    return this.entries.reduce((count, each) => count + (each.running ? 1 : 0), 0);
  }
}
