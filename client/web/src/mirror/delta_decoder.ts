// Decodes the body of a delta completely before anything of it is applied.
import { BitReader } from "../core/bits.js";
import { refuse } from "../core/refusal.js";
import { type DeltaHeader, flag } from "../wire/delta_header.js";
import { EntityReader, levelAge } from "../wire/entity_reader.js";
import { noBaselines } from "../wire/motion.js";
import type { Known, MirrorState } from "./known.js";
import { Versions, found, statesMax } from "./versions.js";
import type { Prototype } from "./world.js";

/** Ids of a session are below. */
const idsMax = 1 << 18;

export const entryKind = { delta: 0, full: 1, lost: 2 } as const;

/** An entry of a delta. The decoder uses its entries again. */
export interface Entry {
  kind: number;
  id: number;
  index: number;
  generation: number;
  owner: boolean;
  newest: boolean; // the newest state of its id
  shown: boolean;
  destroyed: boolean;
  continues: boolean;
  prototype: Prototype;
  words: number; // where its words begin
}

function malformed(what: string): never {
  refuse("malformed delta", what);
}

const noVersions = new Versions();

export class DeltaDecoder {
  count = 0;
  readonly entries: Entry[] = [];
  words = new Uint32Array(4096);
  private readonly bits = new BitReader();
  private readonly reader = new EntityReader();
  private readonly from = noBaselines(this.words);
  private wordCount = 0;
  private nextId = 0;
  private marks = new Uint32Array(1024); // by id: the delta that has named it
  private delta = 0;
  private former: Known[] = []; // despawned entities, in a late delta
  private header!: DeltaHeader;

  constructor(private readonly state: MirrorState) {}

  /** Decodes a body. Throws a Refusal. */
  run(header: DeltaHeader, body: Uint8Array): void {
    this.header = header;
    this.count = this.wordCount = 0;
    this.delta = (this.delta + 1) >>> 0;
    this.former = [];
    this.bits.reset(body);
    this.readMoving();
    this.nextId = 0;
    this.readChanged();
    this.nextId = 0;
    this.readGained();
    this.nextId = 0;
    this.readLost();
    this.bits.finish();
  }

  /** Returns how many words the delta adds to the states that are kept. */
  wordsToCome(): number {
    let words = 0;
    for (let i = 0; i < this.count; ++i) {
      const { kind, id, index, generation, owner, newest, prototype } = this.entries[i]!;
      if (kind === entryKind.lost) continue;
      const known = this.state.known[id];
      const isSame = known?.is(index, generation) === true && !known.lost;
      const restarts = newest && !(isSame && known.prototype === prototype && known.owner === owner);
      const versions = isSame || !newest ? known!.versions : noVersions;
      words += Math.max(versions.growth(prototype.layout.words, restarts), 0);
    }
    return words;
  }

  private readMoving(): void {
    const { bits } = this;
    let left = bits.golomb(4);
    if (left === 0) return;
    let id = bits.golomb(6);
    for (;;) {
      let run = bits.golomb(1) + 1;
      if (run > left) malformed("a run of moving entities that is too long");
      for (left -= run; run > 0; --run) {
        id = this.findMoving(id);
        this.readChange(id++);
      }
      if (left === 0) return;
      for (let gap = bits.golomb(0) + 1; gap > 0; --gap) id = this.findMoving(id) + 1;
    }
  }

  /** Returns the next moving id, from `id` on. */
  private findMoving(id: number): number {
    const { known } = this.state;
    while (id < known.length && !this.state.isMoving(id, this.header.ack)) ++id;
    return id < known.length ? id : malformed("more moving entities than there are");
  }

  private readId(): number {
    const id = this.nextId + this.bits.golomb(3);
    if (id >= idsMax) malformed("an id beyond the limit");
    this.nextId = id + 1;
    return id;
  }

  private checkFirst(id: number): void {
    if (id >= this.state.known.length) return; // a new id may be in both of the last two lists
    if (id >= this.marks.length) {
      const marks = new Uint32Array(Math.max(2 * this.marks.length, id + 1));
      marks.set(this.marks);
      this.marks = marks;
    }
    if (this.marks[id] === this.delta) malformed("two entries of one id");
    this.marks[id] = this.delta;
  }

  private readChanged(): void {
    for (let left = this.bits.golomb(2); left > 0; --left) {
      const id = this.readId();
      if (id >= this.state.known.length) malformed("a change of an unknown id");
      this.readChange(id);
    }
  }

  private readGained(): void {
    const { bits, header, state } = this;
    let left = bits.golomb(2);
    if (left > 0 && header.sequence < state.newest)
      this.former = state.known.filter((known) => known.lost && known.formerGeneration !== 0);
    for (; left > 0; --left) {
      const id = this.readId();
      this.checkFirst(id);
      const index = bits.golomb(12);
      const isOfLevel = bits.bit() === 1;
      if (index >= state.world.entitiesMax) malformed("an impossible entity handle");
      if (isOfLevel) this.readOfLevel(id, index);
      else this.readFull(id, index);
    }
  }

  private readLost(): void {
    const { bits, state } = this;
    for (let left = bits.golomb(2); left > 0; --left) {
      const id = this.readId();
      this.checkFirst(id);
      const destroyed = bits.bit() === 1;
      const continues = (this.header.flags & flag.lostContinue) !== 0 && !destroyed && bits.bit() === 1;
      const index = bits.bit() === 1 ? bits.golomb(12) : -1;
      const isOfLevel = state.level !== null && state.level.has(index);
      const entry = this.nextEntry(entryKind.lost, id, isOfLevel ? index : 0, isOfLevel ? state.level!.generation : 0);
      entry.destroyed = destroyed;
      entry.continues = continues;
    }
  }

  /** Reserves words for a state. Returns where they begin. */
  private reserve(count: number): number {
    const at = this.wordCount;
    this.wordCount += count;
    if (this.wordCount > this.words.length) {
      const words = new Uint32Array(2 * this.wordCount);
      words.set(this.words);
      this.words = words;
    }
    return at;
  }

  private nextEntry(kind: number, id: number, index: number, generation: number): Entry {
    const free = this.entries[this.count];
    const entry = free ?? {
      kind,
      id,
      index,
      generation,
      owner: false,
      newest: false,
      shown: false,
      destroyed: false,
      continues: false,
      prototype: this.state.world.empty,
      words: 0,
    };
    if (free === undefined) this.entries.push(entry);
    ++this.count;
    entry.kind = kind;
    entry.id = id;
    entry.index = index;
    entry.generation = generation;
    entry.owner = entry.newest = entry.shown = entry.destroyed = entry.continues = false;
    return entry;
  }

  private readChange(id: number): void {
    this.checkFirst(id);
    const { header, from } = this;
    const known = this.state.known[id]!;
    const { versions } = known;
    versions.findBaselines(header.ack);
    if ((header.flags & flag.noEarly) !== 0) found.early = -1;
    if (found.baseline < 0 || versions.isLost(found.baseline) || versions.tick(found.baseline) >= header.tick)
      malformed("a change of an entity that has no state");
    if ((found.previous >= 0 && versions.isLost(found.previous)) || (found.early >= 0 && versions.isLost(found.early)))
      malformed("a change encoded against a state that is lost");
    if (versions.count >= statesMax) malformed("more states of an entity than there can be deltas in flight");
    versions.fill(header.tick, from);
    const { layout } = known.prototype;
    const at = this.reserve(layout.words);
    this.reader.readDelta(this.bits, layout, known.owner, header.tick, from, this.words, at);
    const entry = this.nextEntry(entryKind.delta, id, known.index, known.generation);
    entry.owner = known.owner;
    entry.newest = !known.lost && versions.newestTick() < header.tick;
    entry.shown = entry.newest && known.shown;
    entry.prototype = known.prototype;
    entry.words = at;
  }

  private readFull(id: number, index: number): void {
    const { bits, header, state } = this;
    const generation = bits.read(32);
    const owner = bits.bit() === 1;
    const announced = bits.golomb(4);
    if (generation === 0) malformed("an impossible entity handle");
    const prototype = state.announced[announced] ?? malformed("a prototype that was not announced");
    const at = this.reserve(prototype.layout.words);
    this.reader.readFull(bits, prototype.layout, owner, header.tick, this.words, at);
    this.addFull(id, index, generation, prototype, owner, at);
  }

  private readOfLevel(id: number, index: number): void {
    const { level } = this.state;
    if (level === null || !level.has(index)) malformed("an entity that the level does not have");
    const prototype = level.prototypes[index - level.first]!;
    const at = this.reserve(prototype.layout.words);
    const { from } = this;
    from.words = level.words;
    from.baseline = level.begins[index - level.first]!;
    from.previous = from.early = -1;
    from.age = levelAge;
    from.span = 0;
    this.reader.readDelta(this.bits, prototype.layout, false, this.header.tick, from, this.words, at);
    this.addFull(id, index, level.generation, prototype, false, at);
  }

  private addFull(
    id: number,
    index: number,
    generation: number,
    prototype: Prototype,
    owner: boolean,
    at: number,
  ): void {
    const { header, state } = this;
    const known = state.known[id];
    if (known !== undefined && known.versions.count >= statesMax)
      malformed("more states of an entity than there can be deltas in flight");
    const entry = this.nextEntry(entryKind.full, id, index, generation);
    entry.newest = known === undefined || this.isNews(known, index, generation);
    const there = state.world.generationAt(index);
    // An id goes on to show its entity, also if the entity's prototype has changed.
    const shows = known !== undefined && known.shown && known.is(index, generation);
    const mayShow = (there === 0 || state.tickOf(index, there) < header.tick) && !this.endedSince(index, generation);
    entry.shown = entry.newest && (shows || mayShow);
    entry.owner = owner;
    entry.prototype = prototype;
    entry.words = at;
  }

  private isNews(known: Known, index: number, generation: number): boolean {
    if (known.lost) return this.header.tick > known.lostTick;
    return !known.is(index, generation) || known.versions.newestTick() < this.header.tick;
  }

  /** Returns whether a newer state of a despawned entity was received, or another entity had its index by now. */
  private endedSince(index: number, generation: number): boolean {
    return this.former.some((known) => {
      const isSame = known.destroyed && known.formerGeneration === generation;
      return known.formerIndex === index && (isSame || known.versions.newestTick() >= this.header.tick);
    });
  }
}
