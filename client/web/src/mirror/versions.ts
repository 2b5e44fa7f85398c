// States of an entity that deltas may be encoded against, and that pictures need, by rising tick.
//
//   state   tick, acknowledgement, lost << 1 | full, then its words
//
// The acknowledgement is the first that covers the state. The words of a lost state are not there any more.
import type { Baselines } from "../wire/motion.js";

const head = 3;
const fullBit = 1;
const lostBit = 2;
const previousAgeMax = 32;
const earlyAgeMax = 8;
const picturesMax = 16;
const pictureAgeMax = 64;

/** Most states of an entity. No honest server exceeds it. */
export const statesMax = 512;

/** Places of the baselines that were found last; -1 without one. */
export const found = { baseline: -1, previous: -1, early: -1 };

export class Versions {
  states = new Uint32Array(0);
  count = 0;
  words = 0;
  private begin = 0; // state that is the oldest

  private get stride(): number {
    return head + this.words;
  }

  /** Returns where a state begins; 0 is the oldest. */
  private place(which: number): number {
    return (this.begin + which) * this.stride;
  }

  tick(which: number): number {
    return this.states[this.place(which)]!;
  }

  isFull(which: number): boolean {
    return (this.states[this.place(which) + 2]! & fullBit) !== 0;
  }

  isLost(which: number): boolean {
    return (this.states[this.place(which) + 2]! & lostBit) !== 0;
  }

  /** Returns where the words of a state begin in `states`. */
  wordsAt(which: number): number {
    return this.place(which) + head;
  }

  /** Returns the tick of the newest state; 0 without one. */
  newestTick(): number {
    return this.count === 0 ? 0 : this.tick(this.count - 1);
  }

  /** Returns the newest state that an acknowledgement covers; -1 without one. */
  baseline(ack: number): number {
    let which = this.count - 1;
    while (which >= 0 && this.states[this.place(which) + 1]! > ack) --which;
    return which;
  }

  /** Leaves in `found` the baselines for a server that has received this acknowledgement and no later one. */
  findBaselines(ack: number): void {
    found.baseline = this.baseline(ack);
    found.previous = found.early = -1;
    if (found.baseline < 0 || this.isFull(found.baseline)) return;
    const tick = this.tick(found.baseline);
    for (let which = found.baseline - 1; which >= 0; --which) {
      const at = this.place(which);
      if (this.states[at + 1]! > ack) continue;
      if (tick - this.states[at]! > (found.previous < 0 ? previousAgeMax : earlyAgeMax)) return;
      if (found.previous < 0) found.previous = which;
      else found.early = which;
      if ((this.states[at + 2]! & fullBit) !== 0) return;
    }
  }

  /** Fills in the baselines of a delta of `tick`, as they are in `found`. */
  fill(tick: number, from: Baselines): void {
    const baselineTick = this.tick(found.baseline);
    from.words = this.states;
    from.baseline = this.wordsAt(found.baseline);
    from.previous = found.previous < 0 ? -1 : this.wordsAt(found.previous);
    from.early = found.early < 0 ? -1 : this.wordsAt(found.early);
    from.age = tick - baselineTick;
    from.span = found.previous < 0 ? 0 : baselineTick - this.tick(found.previous);
    from.earlySpan = found.early < 0 ? 0 : baselineTick - this.tick(found.early);
  }

  /** Returns by how much `states` grows if a state is added, after restart() for a state of another layout. */
  growth(words: number, restarts: boolean): number {
    return (restarts ? this.restarted(words) : this.roomed()) - this.states.length;
  }

  /** Returns the size of `states` after restart(). */
  private restarted(words: number): number {
    return (this.count + 4) * (head + words);
  }

  /** Prepares for states of another layout, or of another owner. The words of former states are lost. */
  restart(words: number): void {
    const states = new Uint32Array(this.restarted(words));
    for (let which = 0; which < this.count; ++which) {
      states.set(this.states.subarray(this.place(which), this.place(which) + head), which * (head + words));
      states[which * (head + words) + 2]! |= lostBit;
    }
    this.states = states;
    this.words = words;
    this.begin = 0;
  }

  /** Inserts a state in tick order, unless there is one of that tick. */
  add(tick: number, ack: number, full: boolean, from: Uint32Array, at: number): void {
    let which = this.count;
    while (which > 0 && this.tick(which - 1) > tick) --which;
    if (which > 0 && this.tick(which - 1) === tick) return;
    this.makeRoom();
    const place = this.place(which);
    if (which < this.count) this.states.copyWithin(place + this.stride, place, this.place(this.count));
    ++this.count;
    this.states[place] = tick;
    this.states[place + 1] = ack;
    this.states[place + 2] = full ? fullBit : 0;
    for (let i = 0; i < this.words; ++i) this.states[place + head + i] = from[at + i]!;
  }

  private hasRoom(): boolean {
    return this.place(this.count + 1) <= this.states.length;
  }

  /** Returns the size of `states` with room for one more. */
  private roomed(): number {
    // Moving is cheap while at least a quarter is free, as it happens once per that many states.
    const isSparse = this.begin >= 2 && this.begin * 4 >= this.count;
    return this.hasRoom() || isSparse ? this.states.length : Math.ceil((this.count + 2) * 1.5) * this.stride;
  }

  private makeRoom(): void {
    if (this.hasRoom()) return;
    const size = this.roomed();
    const states = size === this.states.length ? this.states : new Uint32Array(size);
    if (states === this.states) states.copyWithin(0, this.place(0), this.place(this.count));
    else states.set(this.states.subarray(this.place(0), this.place(this.count)));
    this.states = states;
    this.begin = 0;
  }

  private isForPictures(which: number, shown: number): boolean {
    if (which + 1 === this.count) return true;
    const next = this.tick(which + 1);
    return this.count - which <= picturesMax && this.newestTick() - next <= pictureAgeMax && next > shown;
  }

  /** Removes states that no acknowledgement from `ack` on has as baselines, and no picture from `shown` on needs. */
  prune(ack: number, shown: number): void {
    this.findBaselines(ack);
    if (found.baseline < 0) return;
    const baseline = this.tick(found.baseline);
    let oldest = found.previous < 0 ? baseline : this.tick(found.previous);
    // A later acknowledgement may cover a previous baseline, or an early one.
    if (found.previous < 0 && !this.isFull(found.baseline)) oldest -= Math.min(oldest, previousAgeMax);
    if (found.previous >= 0 && !this.isFull(found.previous))
      oldest = Math.min(oldest, Math.max(baseline - earlyAgeMax, 0));
    while (this.count > 0 && this.tick(0) < oldest && !this.isForPictures(0, shown)) {
      ++this.begin;
      --this.count;
    }
  }
}
