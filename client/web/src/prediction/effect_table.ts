// Effects that predicted steps emit. A name and key begin an effect once, however often the tick is replayed. It ends
// once: confirmed if the reconciled tick has emitted it, else cancelled.
//
//   emitted --> started --reconciled tick has it---> confirmed
//                  +------reconciled tick lacks it-> cancelled
//
// A replay may emit a running effect in another tick, since a late command runs later. An effect that a replay does not
// emit keeps running until its tick is reconciled: the next replay may have it again. Ended effects are remembered for a
// while after the last tick that emits them. During that time the same name and key begin nothing.

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

const effectsMax = 256; // running or remembered
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
  /** Effects that were not begun, because too many were running or remembered. */
  dropped = 0;
  private readonly entries: Entry[] = [];

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
    const known = this.entries.find((each) => each.key === key && each.name === name);
    if (known !== undefined) {
      if (!known.running) known.tick = Math.max(known.tick, tick);
      if (!known.running || known.emitted) return;
      known.emitted = true;
      known.tick = tick;
      return;
    }
    if (this.entries.length === effectsMax) return void ++this.dropped;
    const entry = { name, key, tick, payload: payload.slice(), running: true, emitted: true };
    this.entries.push(entry);
    this.notify("started", entry);
  }

  /** Ends the effects up to `tick`, which is reconciled. The pass that computed it is complete. */
  settle(tick: number): void {
    for (let i = 0; i < this.entries.length;) {
      const entry = this.entries[i]!;
      if (entry.running && entry.tick <= tick) {
        entry.running = false;
        this.notify(entry.emitted ? "confirmed" : "cancelled", entry);
      }
      if (entry.running || tick - entry.tick <= rememberedTicks) {
        ++i;
        continue;
      }
      const last = this.entries.pop()!;
      if (last !== entry) this.entries[i] = last;
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
  }

  running(): number {
    return this.entries.reduce((count, each) => count + (each.running ? 1 : 0), 0);
  }
}
