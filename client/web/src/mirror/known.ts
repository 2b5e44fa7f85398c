// Entities by the ids of a session, and what a mirror knows of each.
import type { LevelEntities } from "./level.js";
import { Versions } from "./versions.js";
import type { Prototype, World } from "./world.js";

export class Known {
  index = 0;
  generation = 0; // 0 if the id was never used, or only the entity's end was received
  prototype: Prototype;
  owner = false;
  lost = false;
  destroyed = false;
  shown = false; // its newest state is the one in the world
  firstTick = 0xffff_ffff; // tick of its first state
  lostTick = 0; // states of earlier ticks are too late
  lostAck = 0; // first acknowledgement that covers its end
  /** The entity that despawned under the id; generation 0 if it was never received. */
  formerIndex = 0;
  formerGeneration = 0;
  hashLow = 0;
  hashHigh = 0;
  versions = new Versions();
  /** Place in the list of entities under way; -1 if its newest state follows no course. */
  underWay = -1;

  constructor(
    readonly id: number,
    prototype: Prototype,
  ) {
    this.prototype = prototype;
  }

  is(index: number, generation: number): boolean {
    return this.index === index && this.generation === generation;
  }
}

/** Acknowledgements that a delta can be encoded against. */
const acknowledgedKept = 1024;
const movingAgeMax = 2;

/** Content of the mirror when an acknowledgement was sent. */
interface Acknowledged {
  ack: number;
  tick: number;
  hashLow: number;
  hashHigh: number;
}

export type Presence = "in view" | "removed" | "unknown";

/** State of a mirror beneath its world. The mirror alone changes it; decoder, pictures and verification read it. */
export class MirrorState {
  readonly announced: (Prototype | undefined)[] = []; // by id of the session
  readonly known: Known[] = []; // by id
  readonly former = new Map<number, number>(); // ids of lost entities, by the index of the former entity
  level: LevelEntities | null = null;
  newest = 0; // sequence of the newest delta
  tick = 0; // that of the newest delta
  private shownIds = new Int32Array(0); // by index; -1 for none
  private readonly acknowledged: Acknowledged[] = Array.from({ length: acknowledgedKept }, () => ({
    ack: 0,
    tick: 0,
    hashLow: 0,
    hashHigh: 0,
  }));

  constructor(readonly world: World) {
    this.announced[0] = world.empty;
  }

  /** Returns the prototypes that the session, its entities and those of its level may still need. */
  usedPrototypes(): Set<Prototype> {
    const used = new Set([...this.known.map((known) => known.prototype), ...(this.level?.prototypes ?? [])]);
    for (const prototype of this.announced) if (prototype !== undefined) used.add(prototype);
    for (const { indices, count } of this.world.pools.values())
      for (let place = 0; place < count; ++place) used.add(this.world.prototypes[indices[place]!]!);
    return used;
  }

  at(ack: number): Acknowledged {
    return this.acknowledged[ack % acknowledgedKept]!;
  }

  /** Returns the id that shows the entity at an index; -1 for none. */
  shownId(index: number): number {
    return index < this.shownIds.length ? this.shownIds[index]! : -1;
  }

  setShown(index: number, id: number): void {
    if (index >= this.shownIds.length) {
      const ids = new Int32Array(Math.max(index + 1, 2 * this.shownIds.length)).fill(-1);
      ids.set(this.shownIds);
      this.shownIds = ids;
    }
    this.shownIds[index] = id;
  }

  /** Returns the record of a shown entity; null for an unmodified entity of the level, and for others. */
  find(index: number, generation: number): Known | null {
    const id = this.shownId(index);
    return id >= 0 && this.known[id]!.generation === generation ? this.known[id]! : null;
  }

  isAsLoaded(index: number, generation: number): boolean {
    return this.level !== null && generation === this.level.generation && this.level.isHere(index);
  }

  /** Returns the tick of a shown entity's values; 0 for other entities. */
  tickOf(index: number, generation: number): number {
    const known = this.find(index, generation);
    if (known !== null) return known.versions.newestTick();
    return this.isAsLoaded(index, generation) ? this.level!.tick : 0;
  }

  /** Returns whether a delta encoded against `ack` lists the entity among those that move. */
  isMoving(id: number, ack: number): boolean {
    const { lost, lostAck, versions } = this.known[id]!;
    if (lost && lostAck <= ack) return false;
    const baseline = versions.baseline(ack);
    return baseline >= 0 && this.at(ack).tick - versions.tick(baseline) <= movingAgeMax;
  }

  /** Returns whether the mirror has an entity that was in view at tick `seen` of the server. */
  presence(index: number, generation: number, seen: number): Presence {
    if (generation === 0 || this.tickOf(index, generation) !== 0) return "in view";
    const former = this.known[this.former.get(index) ?? -1];
    if (former?.formerGeneration === generation && (former.destroyed || former.lostTick >= seen)) return "removed";
    const there = this.world.generationAt(index);
    return there !== 0 && there !== generation && this.tickOf(index, there) >= seen ? "removed" : "unknown";
  }
}
