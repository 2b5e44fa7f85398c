// The mirrored world: applies deltas to entities and components, and keeps the states that later deltas need.
import { refuse } from "../core/refusal.js";
import type { Work } from "../core/work.js";
import type { Schema } from "../reflect/schema.js";
import { isUnderWay } from "../wire/course.js";
import { type DeltaHeader, flag } from "../wire/delta_header.js";
import { hashEntity, sumHigh, sumLow } from "../wire/entity_hash.js";
import type { AnnouncedPrototype, MessageOf } from "../wire/messages.js";
import { ReceivedBodies } from "./bodies.js";
import { Changes, changeKind } from "./changes.js";
import { DeltaDecoder, type Entry, entryKind } from "./delta_decoder.js";
import { HashSum } from "./hash_sum.js";
import { Known, MirrorState, type Presence } from "./known.js";
import type { LevelEntities } from "./level.js";
import { StaleEntities } from "./stale.js";
import { World } from "./world.js";

const announcedMax = 1 << 16;
const keptWordsMax = 32 << 20; // states of all entities
const shownPerPiece = 64; // entities of a level
const lateMargin = 8; // newer deltas after which a late one is still of use

export class Mirror {
  readonly world: World;
  readonly state: MirrorState;
  readonly changes = new Changes();
  readonly stale = new StaleEntities();
  /** Number of entities in view, and the sum of their hashes. */
  size = 0;
  readonly hash = new HashSum();
  private readonly bodies = new ReceivedBodies();
  private readonly decoder: DeltaDecoder;
  private readonly baselines = new Uint32Array(lateMargin); // acknowledgements of the last deltas
  private floor = 0; // deltas that are encoded against an earlier acknowledgement are too late
  private nextAck = 1;
  private shownTick = 0xffff_ffff;
  private keptWords = 0;
  private readonly underWay: Known[] = []; // entities whose shown state follows a course
  private before = new Uint32Array(64); // words that the world shows of an entity, before a new state of it
  private hasBefore = false;

  constructor(schema: Schema, entitiesMax: number) {
    this.world = new World(schema, entitiesMax);
    this.state = new MirrorState(this.world);
    this.decoder = new DeltaDecoder(this.state);
  }

  get tick(): number {
    return this.state.tick;
  }

  addPrototypes(prototypes: readonly AnnouncedPrototype[]): void {
    for (const { id, components } of prototypes) {
      if (id === 0 || id >= announcedMax)
        refuse("too many prototypes", `prototype id ${id}; ids are below ${announcedMax}`);
      this.world.check(components);
    }
    if (this.world.isCrowded) this.world.forgetOthers(this.state.usedPrototypes());
    for (const { id, components } of prototypes) this.state.announced[id] = this.world.intern(components);
  }

  addBody(part: MessageOf<"deltaBody">): void {
    this.bodies.add(part);
  }

  isStale(index: number, generation: number): boolean {
    return this.stale.has(index, generation);
  }

  presence(index: number, generation: number, seen: number): Presence {
    return this.state.presence(index, generation, seen);
  }

  /** Sets the earliest moment that pictures show. Before the first call no states are kept for pictures. */
  setViewTick(tick: number): void {
    this.shownTick = Math.max(0, Math.min(Math.floor(tick), 0xffff_ffff));
  }

  /**
   * Applies a delta completely, or throws a Refusal. With the reason "too late" it counts as lost: it is encoded
   * against states that are not kept any more, or has a body that is not here.
   */
  apply(header: DeltaHeader, delta: Uint8Array): void {
    const isLate = header.sequence < this.state.newest;
    if (header.ack >= this.nextAck)
      refuse("malformed delta", "it is encoded against an acknowledgement that was not sent");
    if (header.ack < this.floor || this.state.at(header.ack).ack !== header.ack)
      refuse("too late", "it is encoded against an acknowledgement that is forgotten");
    const body = header.body === 0 ? delta.subarray(header.size) : this.bodies.find(header.body);
    if (body === null) refuse("too late", "it has a body that is not here, or not any more");
    this.decode(header, body, isLate);
    for (let i = 0; i < this.decoder.count; ++i) this.applyEntry(this.decoder.entries[i]!, header);
    if (header.tick > this.state.tick) {
      this.state.tick = header.tick;
      this.follow();
    }
    if (isLate) return;
    this.state.newest = header.sequence;
    const place = header.sequence % lateMargin;
    this.floor = Math.max(this.floor, this.baselines[place]!);
    this.baselines[place] = header.ack;
  }

  private decode(header: DeltaHeader, body: Uint8Array, isLate: boolean): void {
    try {
      this.decoder.run(header, body);
    } catch (error) {
      if (isLate && error instanceof Error && "reason" in error) refuse("too late", error.message);
      throw error;
    }
    if (this.keptWords + this.decoder.wordsToCome() > keptWordsMax)
      refuse("too much to keep", `the states of all entities exceed ${keptWordsMax} words`);
  }

  /** Notes that an acknowledgement is sent, which covers all deltas applied so far. */
  acknowledged(ack: number): void {
    Object.assign(this.state.at(ack), { ack, tick: this.state.tick, hashLow: this.hash.low, hashHigh: this.hash.high });
    this.nextAck = ack + 1;
  }

  /** Returns whether the hash of a header is that of the mirror; null if it has none, or what it is of is forgotten. */
  verify(header: DeltaHeader): boolean | null {
    const then = this.state.at(header.ack);
    if ((header.flags & flag.hash) === 0 || header.ack === 0 || then.ack !== header.ack) return null;
    return then.hashLow === header.hashLow && then.hashHigh === header.hashHigh;
  }

  // Hashes ----------------------------------------------------------------------------------------------------------

  private rehash(known: Known): void {
    const { versions } = known;
    this.hash.subtract(known.hashLow, known.hashHigh);
    hashEntity(
      known.prototype,
      known.index,
      known.generation,
      known.owner,
      versions.states,
      versions.wordsAt(versions.count - 1),
    );
    known.hashLow = sumLow;
    known.hashHigh = sumHigh;
    this.hash.add(sumLow, sumHigh);
  }

  // Applying --------------------------------------------------------------------------------------------------------

  private knownOf(id: number): Known {
    const { known } = this.state;
    while (known.length <= id) known.push(new Known(known.length, this.world.empty));
    return known[id]!;
  }

  private applyEntry(entry: Entry, header: DeltaHeader): void {
    if (entry.kind === entryKind.lost) return this.applyLost(entry, header.tick);
    const isFull = entry.kind === entryKind.full;
    const otherOwner = isFull && this.isOwner(entry.index, entry.generation) !== entry.owner;
    if (entry.shown) this.noteBefore(entry);
    if (isFull && entry.newest) this.assignId(entry, header);
    const known = this.knownOf(entry.id);
    // An older state is useless if the newest one is of another entity, prototype or owner.
    if (known.prototype !== entry.prototype || known.owner !== entry.owner || known.lost) return;
    if (isFull) known.firstTick = Math.min(known.firstTick, header.tick);
    const { versions } = known;
    this.keptWords -= versions.states.length;
    versions.add(header.tick, this.nextAck, isFull, this.decoder.words, entry.words);
    if (entry.newest) this.rehash(known);
    if (entry.shown) this.show(entry, known, otherOwner);
    versions.prune(this.floor, this.shownTick);
    this.keptWords += versions.states.length;
  }

  isOwner(index: number, generation: number): boolean {
    return this.state.find(index, generation)?.owner ?? false;
  }

  /** Copies the words that the world shows of an entity, if they are of the entry's prototype and owner. */
  private noteBefore(entry: Entry): void {
    const known = this.state.known[entry.id];
    const { level } = this.state;
    const { layout } = entry.prototype;
    this.hasBefore = true;
    if (known?.shown && known.is(entry.index, entry.generation)) {
      const { versions } = known;
      if (known.prototype === entry.prototype && known.owner === entry.owner && !versions.isLost(versions.count - 1))
        return this.copyBefore(versions.states, versions.wordsAt(versions.count - 1), layout.words);
    } else if (level !== null && this.state.isAsLoaded(entry.index, entry.generation)) {
      const which = entry.index - level.first;
      if (level.prototypes[which] === entry.prototype)
        return this.copyBefore(level.words, level.begins[which]!, layout.words);
    }
    this.hasBefore = false;
  }

  private copyBefore(words: Uint32Array, at: number, count: number): void {
    if (this.before.length < count) this.before = new Uint32Array(2 * count);
    for (let i = 0; i < count; ++i) this.before[i] = words[at + i]!;
  }

  private assignId(entry: Entry, header: DeltaHeader): void {
    let known = this.knownOf(entry.id);
    const isSame = known.is(entry.index, entry.generation) && !known.lost;
    if (isSame && known.prototype === entry.prototype && known.owner === entry.owner) return;
    this.stopFollowing(known);
    if (!isSame) known = this.replaceEntity(known, entry, header);
    known.index = entry.index;
    known.generation = entry.generation;
    known.prototype = entry.prototype;
    known.owner = entry.owner;
    this.restart(known, entry.prototype.layout.words);
  }

  private restart(known: Known, words: number): void {
    this.keptWords -= known.versions.states.length;
    known.versions.restart(words);
    this.keptWords += known.versions.states.length;
  }

  private replaceEntity(known: Known, entry: Entry, header: DeltaHeader): Known {
    const was = known.generation !== 0;
    // A delta that uses the id for its former entity was written before this one, and is too late from now on.
    if (was || known.lost) this.floor = Math.max(this.floor, header.ack);
    if (was && !known.lost) this.hash.subtract(known.hashLow, known.hashHigh);
    if (!was || known.lost) ++this.size;
    if (known.shown) {
      this.hide(known);
      this.setStale(known.index, known.generation, null, 0);
    }
    this.forgetFormer(known);
    this.keptWords -= known.versions.states.length;
    const next = new Known(entry.id, entry.prototype);
    this.state.known[entry.id] = next;
    const { level } = this.state;
    if (level === null || !this.state.isAsLoaded(entry.index, entry.generation)) return next;
    // An entity of the level is counted already.
    const which = entry.index - level.first;
    level.here[which] = 0;
    next.firstTick = level.tick;
    --this.size;
    next.hashLow = level.hashesLow[which]!;
    next.hashHigh = level.hashesHigh[which]!;
    return next;
  }

  private applyLost(entry: Entry, tick: number): void {
    const { state } = this;
    if (state.isAsLoaded(entry.index, entry.generation)) this.endLoaded(entry.index, entry.destroyed);
    const known = this.knownOf(entry.id);
    known.lostTick = Math.max(known.lostTick, tick);
    if (known.lost) return;
    known.lost = true;
    known.lostAck = this.nextAck;
    known.formerIndex = known.generation !== 0 ? known.index : entry.index;
    known.formerGeneration = known.generation !== 0 ? known.generation : entry.generation;
    known.destroyed = entry.destroyed;
    if (known.formerGeneration !== 0) state.former.set(known.formerIndex, known.id);
    if (known.generation === 0) return; // the delta with its first state was lost
    const { versions } = known;
    const at = versions.wordsAt(versions.count - 1);
    const words = entry.continues && known.underWay >= 0 ? versions.states.slice(at, at + versions.words) : null;
    this.restart(known, 0);
    this.hash.subtract(known.hashLow, known.hashHigh);
    known.hashLow = known.hashHigh = 0;
    --this.size;
    if (!known.shown) return; // shown under another id by now, or its index is another entity's
    this.hide(known);
    if (entry.destroyed) this.destroy(known.index);
    else this.setStale(known.index, known.generation, words, tick);
  }

  private hide(known: Known): void {
    known.shown = false;
    this.stopFollowing(known);
    this.state.setShown(known.index, -1);
  }

  private forgetFormer(known: Known): void {
    if (known.formerGeneration !== 0 && this.state.former.get(known.formerIndex) === known.id)
      this.state.former.delete(known.formerIndex);
  }

  private destroy(index: number): void {
    this.stale.erase(index);
    this.changes.add(changeKind.destroyed, index, this.world.generationAt(index));
    this.world.destroy(index);
  }

  private setStale(index: number, generation: number, words: Uint32Array | null, lost: number): void {
    const oldest = this.stale.oldestTooMany();
    if (oldest >= 0) this.destroy(oldest);
    this.stale.add(index, generation, this.world.prototypes[index]!, words, lost);
    this.changes.add(changeKind.lost, index, generation);
  }

  /** Makes an entity shown by its id. Returns whether it is listed as spawned or composed. */
  private bringIn(known: Known, otherOwner: boolean): boolean {
    const { index, generation } = known;
    const { world, state } = this;
    const before = state.shownId(index);
    if (before >= 0) {
      state.known[before]!.shown = false;
      if (before !== known.id) this.stopFollowing(state.known[before]!);
    }
    state.setShown(index, known.id);
    known.shown = true;
    const there = world.generationAt(index);
    if (there !== 0 && there !== generation) {
      if (state.isAsLoaded(index, there)) this.endLoaded(index, true);
      else this.destroy(index);
    }
    const isNew = !world.has(index, generation);
    const spawned = isNew || this.stale.has(index, generation);
    if (isNew) world.create(index, generation);
    this.stale.erase(index);
    const composed = world.recompose(index, known.prototype) || otherOwner;
    if (!spawned && !composed) return false;
    this.hasBefore = false;
    this.changes.add(spawned ? changeKind.spawned : changeKind.composed, index, generation);
    this.changes.mark(known.prototype.pools, index);
    return true;
  }

  private show(entry: Entry, known: Known, otherOwner: boolean): void {
    if (entry.kind === entryKind.full) this.bringIn(known, otherOwner);
    const { versions, prototype, index } = known;
    const tick = Math.max(this.state.tick, versions.newestTick());
    const at = versions.wordsAt(versions.count - 1);
    let hasCourse = false;
    for (let i = 0; i < prototype.pools.length; ++i) {
      const { layout: row, first } = prototype.layout.rows[i]!;
      const pool = prototype.pools[i]!;
      if (row.courses.length > 0)
        hasCourse ||= row.courses.some((course) => isUnderWay(course, versions.states, at + first));
      if (this.isSameRow(versions.states, at + first, first, row.words)) continue;
      const place = pool.find(index);
      pool.write(place, known.owner, versions.states, at + first, tick);
      this.changes.addChanged(pool, place, index, known.generation);
    }
    if (hasCourse) this.startFollowing(known);
    else this.stopFollowing(known);
  }

  private isSameRow(words: Uint32Array, at: number, before: number, count: number): boolean {
    if (!this.hasBefore) return false;
    for (let i = 0; i < count; ++i) if (words[at + i] !== this.before[before + i]) return false;
    return true;
  }

  // Courses ---------------------------------------------------------------------------------------------------------

  private startFollowing(known: Known): void {
    if (known.underWay >= 0) return;
    known.underWay = this.underWay.length;
    this.underWay.push(known);
  }

  private stopFollowing(known: Known): void {
    if (known.underWay < 0) return;
    const last = this.underWay.pop()!;
    if (last !== known) {
      this.underWay[known.underWay] = last;
      last.underWay = known.underWay;
    }
    known.underWay = -1;
  }

  /** Moves all courses to the mirror's tick. */
  private follow(): void {
    const { tick } = this.state;
    for (const known of this.underWay) {
      const { versions, prototype, index } = known;
      const at = versions.wordsAt(versions.count - 1);
      for (let i = 0; i < prototype.pools.length; ++i) {
        const { layout: row, first } = prototype.layout.rows[i]!;
        if (!row.courses.some((course) => isUnderWay(course, versions.states, at + first))) continue;
        const pool = prototype.pools[i]!;
        const place = pool.find(index);
        pool.followCourses(place, known.owner, versions.states, at + first, tick);
        this.changes.addChanged(pool, place, index, known.generation);
      }
    }
    this.stale.follow(tick, this.changes);
  }

  // Level and repair ------------------------------------------------------------------------------------------------

  /** Shows the entities of a level whose bit in `present` is set. The mirror is not to be used before the end. */
  *loadLevel(level: LevelEntities, present: Uint8Array): Work<Mirror> {
    if (this.state.level !== null || this.state.tick !== 0)
      refuse("other level", "the server sent a level after another level or after a delta");
    this.state.level = level;
    for (let i = 0; i < level.count; ++i) {
      if (((present[i >> 3]! >> (i & 7)) & 1) === 1) this.showLoaded(level, i);
      if (i % shownPerPiece === 0) yield;
    }
    return this;
  }

  private showLoaded(level: LevelEntities, which: number): void {
    const index = level.first + which;
    const prototype = level.prototypes[which]!;
    level.here[which] = 1;
    this.world.create(index, level.generation);
    this.world.recompose(index, prototype);
    prototype.pools.forEach((pool, i) => {
      const { first } = prototype.layout.rows[i]!;
      pool.write(pool.find(index), false, level.words, level.begins[which]! + first, level.tick);
    });
    this.changes.add(changeKind.spawned, index, level.generation);
    this.changes.mark(prototype.pools, index);
    this.hash.add(level.hashesLow[which]!, level.hashesHigh[which]!);
    ++this.size;
  }

  private endLoaded(index: number, destroyed: boolean): void {
    const level = this.state.level!;
    const which = index - level.first;
    level.here[which] = 0;
    this.hash.subtract(level.hashesLow[which]!, level.hashesHigh[which]!);
    --this.size;
    if (destroyed) this.destroy(index);
    else this.setStale(index, level.generation, null, 0);
  }

  /** Destroys an entity that the server does not know. Returns false if it has changed since `tick`, or is not there. */
  drop(ofLevel: boolean, place: number, index: number, generation: number, tick: number): boolean {
    const known = ofLevel ? undefined : this.state.known[place];
    if (known !== undefined && known.is(index, generation) && !known.lost && known.versions.newestTick() === tick) {
      const entry = { kind: entryKind.lost, id: place, index: 0, generation: 0, destroyed: true, continues: false };
      this.applyLost(entry as Entry, tick);
      this.forgetFormer(known);
      known.formerGeneration = 0; // it left this client's view only, and may exist elsewhere
      return true;
    }
    if (!ofLevel || !this.state.isAsLoaded(index, generation)) return false;
    this.endLoaded(index, true);
    return true;
  }
}
