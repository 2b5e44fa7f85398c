// The entities that a client predicts, and their components.
//
// Members are entities of the mirror that are in view and have a predicted component. They have the mirror's handles.
// Entities that steps spawn have local handles, whose indices are beyond the server's. A local entity becomes a member
// when the mirror has the server's entity with the same SpawnKey.
//
//   slots    0 … members - 1      members … count - 1
//            members              local entities, also those that have ended
//
// Slots ascend by the handles' indices. They only grow between two calls of rebuild().
import { entityOf, generationOf, indexOf } from "../core/entity.js";
import type { Mirror } from "../mirror/mirror.js";
import type { World } from "../mirror/world.js";
import { type Component, findComponent, kind } from "../reflect/schema.js";
import { refuse } from "../core/refusal.js";
import { type CommandTimeline, never } from "./command_timeline.js";
import { grown } from "./component_rows.js";
import { type SpawnKey, isSameSpawn } from "./spawn_key.js";
import { TrackedComponent } from "./tracked_component.js";
import { Unpredicted } from "./unpredicted.js";

const localsMax = 1 << 16;
/** Most members: a server chooses how many entities it spawns for a client's commands. The first wanted are members. */
const membersMax = 4096;
/** Ticks after its command's in which an entity is spawned at most, if it is matched. */
const spawnTicksMax = 32;
const keyName = "SpawnKey";
const keyFields = { tick: kind.uint32, player: kind.uint32, command: kind.uint32, ordinal: kind.uint8 };

/** A handle as two numbers, which are no garbage as those of 64 bits are. */
export interface EntityRef {
  readonly index: number;
  readonly generation: number;
}

export const refOf = (entity: bigint): EntityRef => ({ index: indexOf(entity), generation: generationOf(entity) });

/** An entity that the set has, or should have. */
export interface Member {
  index: number;
  generation: number;
  /** Interned, so it identifies the components. */
  prototype: object | null;
  owner: boolean;
}

/** A local entity and the server's entity with the same SpawnKey. */
export interface MatchedSpawn {
  readonly localSlot: number; // -1 if the client did not predict it
  readonly local: bigint;
  readonly real: bigint;
  readonly key: SpawnKey;
}

interface FormerRows {
  readonly bytes: Uint8Array;
  readonly has: Uint8Array;
}

const ascending = (a: number, b: number): number => a - b;

function grownWords(words: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(size);
  more.set(words);
  return more;
}

const noMember = (): Member => ({ index: 0, generation: 0, prototype: null, owner: false });

export class PredictedSet {
  /** Components that steps write. Snapshots have them in this order. */
  readonly predicted: readonly TrackedComponent[];
  /** Components that steps only read, and SpawnKey. */
  readonly declared: readonly TrackedComponent[];
  /** Components that steps may use, by name. */
  readonly readable = new Map<string, TrackedComponent>();
  /** SpawnKeys. Null if the schema lacks them, so that nothing can be spawned. */
  readonly keys: TrackedComponent | null;
  count = 0;
  members = 0;
  /** How often the members have changed. */
  rebuilds = 0;
  /** Handles by slot. */
  readonly handles: bigint[] = [];
  indices = new Uint32Array(32);
  generations = new Uint32Array(32);
  /** 1 for each slot whose entity is stepped: it is not destroyed. */
  alive = new Uint8Array(32);
  /** The entities that were collected last, ascending by index. The first `collectedCount` count. */
  readonly collected: Member[] = [];
  collectedCount = 0;
  readonly matched: MatchedSpawn[] = [];
  /** Wanted entities in view that the last collect() has left out. */
  readonly unpredicted = new Unpredicted();
  /** By slot, after rebuild(): the slot before it; -1 for a new entity. */
  formerSlots = new Int32Array(32);
  private readonly current: Member[] = []; // by slot
  private readonly slots = new Map<bigint, number>(); // by handle
  private readonly slotsByIndex = new Map<number, number>();
  private readonly localFirst: number;
  private nextIndex: number;
  private nextGeneration = 1;

  /** Throws a Refusal: "unknown component" or "not sent", for names in Rules.reads; "another SpawnKey". */
  constructor(
    private readonly mirror: Mirror,
    reads: readonly string[],
    private readonly player: number,
  ) {
    const { world } = mirror;
    this.localFirst = this.nextIndex = world.entitiesMax;
    const all = [...world.schema.components.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const isPredicted = all.filter((each) => each.fields.some((field) => field.predicted));
    this.predicted = isPredicted.map((each) => new TrackedComponent(world, each, true));
    for (const each of this.predicted) this.readable.set(each.component.name, each);
    const declared: TrackedComponent[] = [];
    for (const name of reads) {
      if (this.readable.has(name)) continue; // it is predicted, or listed twice
      const tracked = declare(world, name);
      this.readable.set(name, tracked);
      declared.push(tracked);
    }
    const key = findComponent(world.schema, keyName);
    if (key !== undefined) checkKey(key);
    const isKnown = declared.find(({ component }) => component === key);
    this.keys = key === undefined ? null : (isKnown ?? new TrackedComponent(world, key, false));
    if (this.keys !== null && isKnown === undefined) declared.push(this.keys);
    this.declared = declared;
  }

  // Slots -----------------------------------------------------------------------------------------------------------

  isLocal(slot: number): boolean {
    return slot >= this.members;
  }

  /** Returns the slot of an entity, stepped or not; -1 for others. */
  slotOf(entity: bigint): number {
    return this.slots.get(entity) ?? -1;
  }

  /** Returns the slot with an index; -1 without one. */
  slotAt(index: number): number {
    return this.slotsByIndex.get(index) ?? -1;
  }

  isStepped(entity: bigint): boolean {
    const slot = this.slotOf(entity);
    return slot >= 0 && this.alive[slot] === 1;
  }

  memberAt(slot: number): Member {
    return this.current[slot]!;
  }

  /** Handle index of the next local entity. */
  get nextLocal(): number {
    return this.nextIndex;
  }

  /** Index behind those of local entities. */
  get localEnd(): number {
    return this.localFirst + localsMax;
  }

  /** Handle of the next local entity. */
  get nextHandle(): bigint {
    return entityOf(this.nextIndex, this.nextGeneration);
  }

  /** Returns a component that steps may use. Throws if Rules.reads does not list it. */
  componentOf(name: string): TrackedComponent {
    const found = this.readable.get(name);
    if (found === undefined) throw new Error(`the step reads ${name}, which Rules.reads does not list`);
    return found;
  }

  /** Lists the entities that have a component and that the mirror decides about, ascending by index. */
  listMirrored(tracked: TrackedComponent, indices: number[]): void {
    indices.length = 0;
    const pool = tracked.mirrorPool();
    if (pool === null) return;
    const { world } = this.mirror;
    for (let place = 0; place < pool.count; ++place) {
      const index = pool.indices[place]!;
      const slot = this.slotAt(index);
      if (slot < 0 || this.generations[slot] !== world.generationAt(index)) indices.push(index);
    }
    if (indices.length > 1) indices.sort(ascending);
  }

  private append(index: number, generation: number): number {
    const slot = this.count++;
    if (slot >= this.alive.length) {
      this.alive = grown(this.alive, 2 * slot);
      this.indices = grownWords(this.indices, 2 * slot);
      this.generations = grownWords(this.generations, 2 * slot);
    }
    this.handles[slot] = entityOf(index, generation);
    this.indices[slot] = index;
    this.generations[slot] = generation;
    this.alive[slot] = 1;
    this.slots.set(this.handles[slot]!, slot);
    this.slotsByIndex.set(index, slot);
    for (const pools of [this.predicted, this.declared])
      for (const { rows } of pools) {
        rows.reserve(this.count);
        rows.has[slot] = 0;
        rows.written[slot] = 0;
      }
    return slot;
  }

  /** Creates a local entity without components. Returns its slot; -1 if there are too many. */
  createLocal(): number {
    if (this.nextIndex - this.localFirst >= localsMax) return -1;
    return this.append(this.nextIndex++, this.nextGeneration);
  }

  /** Removes the last slots, until the next local index is this. */
  truncate(count: number, nextLocal: number): void {
    while (this.count > count) {
      this.slots.delete(this.handles[--this.count]!);
      this.slotsByIndex.delete(this.indices[this.count]!);
    }
    for (const pools of [this.predicted, this.declared]) for (const { rows } of pools) rows.truncate(count);
    this.nextIndex = nextLocal;
  }

  /** Returns the SpawnKey of a slot; null without one. */
  keyOf(slot: number): SpawnKey | null {
    if (this.keys === null || this.keys.rows.has[slot] === 0) return null;
    const { tick, player, command, ordinal } = this.keys.rows.row(slot);
    return { tick, player, command, ordinal };
  }

  /** Returns the slot of the local entity with the key, though it may be destroyed; -1 without one. */
  findLocal(key: SpawnKey): number {
    for (let slot = this.count; slot-- > this.members;) if (isSameSpawn(this.keyOf(slot)!, key)) return slot;
    return -1;
  }

  // Members ---------------------------------------------------------------------------------------------------------

  /** Adds an entity to those collected, if it can be predicted: it is in view, and has a predicted component. */
  private collectOne(index: number, generation: number): void {
    const { world, state } = this.mirror;
    const known = state.find(index, generation);
    if (known === null && (!world.has(index, generation) || this.mirror.isStale(index, generation))) return;
    if (!this.hasPredicted(index)) return;
    const owner = known?.owner ?? false;
    const lacking = owner ? null : this.findLacking(index);
    if (lacking !== null) return this.unpredicted.addLacking(index, generation, lacking.component.name);
    if (this.collectedCount === membersMax) return this.unpredicted.addSurplus();
    if (this.collectedCount === this.collected.length) this.collected.push(noMember());
    const member = this.collected[this.collectedCount++]!;
    member.index = index;
    member.generation = generation;
    member.prototype = known === null ? world.prototypes[index]! : known.prototype;
    member.owner = owner;
  }

  private hasPredicted(index: number): boolean {
    for (let i = 0; i < this.predicted.length; ++i) if (this.predicted[i]!.mirrored(index) >= 0) return true;
    return false;
  }

  /**
   * Finds the entities that the set should have now. These are entities of `wanted` that can be predicted, and those that
   * were spawned for this client's commands after tick `since`. Adds the latter to `wanted`. Warns once of what cannot be
   * predicted though it is in view, with the reason.
   */
  collect(wanted: EntityRef[], commands: CommandTimeline, since: number): void {
    this.collectSpawned(wanted, commands, since);
    this.collectedCount = 0;
    this.unpredicted.clear();
    for (const { index, generation } of wanted) this.collectOne(index, generation);
    this.unpredicted.reportSurplus(membersMax);
    this.sortCollected();
  }

  /** Returns a component of which this client does not receive all that is predicted; null if there is none. */
  private findLacking(index: number): TrackedComponent | null {
    for (let i = 0; i < this.predicted.length; ++i) {
      const tracked = this.predicted[i]!;
      if (tracked.isOwnersAlone && tracked.mirrored(index) >= 0) return tracked;
    }
    return null;
  }

  /** Sorts by insertion, as the list hardly changes, and removes what is there twice. */
  private sortCollected(): void {
    const all = this.collected;
    for (let i = 1; i < this.collectedCount; ++i)
      for (let at = i; at > 0 && all[at - 1]!.index > all[at]!.index; --at) {
        const before = all[at - 1]!;
        all[at - 1] = all[at]!;
        all[at] = before;
      }
    let kept = 0;
    for (let i = 0; i < this.collectedCount; ++i) {
      if (kept > 0 && all[kept - 1]!.index === all[i]!.index) continue;
      const next = all[i]!;
      all[i] = all[kept]!;
      all[kept++] = next;
    }
    this.collectedCount = kept;
  }

  private collectSpawned(wanted: EntityRef[], commands: CommandTimeline, since: number): void {
    this.matched.length = 0;
    const pool = this.keys?.mirrorPool() ?? null;
    if (this.keys === null || pool === null) return;
    const { world } = this.mirror;
    const valuesOf = (name: string): ArrayLike<number | bigint> =>
      pool.columns.find(({ layout }) => layout.field.path === name)!.values;
    const ticks = valuesOf("tick");
    for (let place = 0; place < pool.count; ++place) {
      const tick = Number(ticks[place]);
      if (tick <= since) continue; // it was matched when it was new
      const [player, command, ordinal] = ["player", "command", "ordinal"].map((name) => Number(valuesOf(name)[place]));
      const key = { tick, player: player!, command: command!, ordinal: ordinal! };
      if (key.player !== this.player) continue; // a former owner's, whose commands have the same numbers
      const index = pool.indices[place]!;
      const generation = world.generationAt(index);
      const given = commands.tickOf(key.command);
      if (given === never || tick < given || tick - given > spawnTicksMax) continue;
      if (!this.mirror.isOwner(index, generation) || this.matched.length === membersMax) continue;
      const localSlot = this.findLocal(key);
      const real = entityOf(index, generation);
      this.matched.push({ localSlot, local: localSlot < 0 ? 0n : this.handles[localSlot]!, real, key });
      wanted.push({ index, generation });
    }
  }

  /** Returns the place among those collected; -1 for an entity that is not there. */
  findCollected(index: number, generation: number): number {
    let low = 0;
    for (let high = this.collectedCount; low < high;) {
      const middle = (low + high) >> 1;
      if (this.collected[middle]!.index < index) low = middle + 1;
      else high = middle;
    }
    const found = low < this.collectedCount && this.collected[low]!.index === index;
    return found && this.collected[low]!.generation === generation ? low : -1;
  }

  /** Returns whether the members are those collected, with the same components and owners. */
  areMembersCollected(): boolean {
    if (this.members !== this.collectedCount) return false;
    for (let slot = 0; slot < this.members; ++slot) {
      const a = this.current[slot]!;
      const b = this.collected[slot]!;
      const isSame = a.index === b.index && a.generation === b.generation;
      if (!isSame || a.prototype !== b.prototype || a.owner !== b.owner) return false;
    }
    return true;
  }

  // The mirror's values ---------------------------------------------------------------------------------------------

  /** Copies the mirror's values of all members, which are as collected. */
  copyValues(): void {
    for (const pools of [this.predicted, this.declared])
      for (const tracked of pools)
        for (let slot = 0; slot < this.members; ++slot) {
          const { index, owner } = this.current[slot]!;
          const place = tracked.mirrored(index);
          if (tracked.rows.has[slot] === 1 && place >= 0) tracked.copyRow(place, owner, tracked.rows.views.bytes, slot);
        }
    this.alive.fill(1, 0, this.members);
    this.alive.fill(0, this.members, this.count);
  }

  /**
   * Makes the collected entities the members, with the mirror's values. Local entities end: those that are matched continue
   * under their real handle. Slots change.
   */
  rebuild(): void {
    ++this.rebuilds;
    const before = this.formerOfCollected();
    const all = [...this.predicted, ...this.declared];
    const former = all.map(({ rows }): FormerRows => ({ bytes: rows.views.bytes.slice(), has: rows.has.slice() }));
    this.truncate(0, this.nextIndex);
    for (let i = 0; i < this.collectedCount; ++i) {
      const { index, generation } = this.collected[i]!;
      const slot = this.append(index, generation);
      this.current[slot] = Object.assign(this.current[slot] ?? noMember(), this.collected[i]);
      all.forEach((tracked, which) => this.fill(tracked, slot, before[slot]!, former[which]!));
    }
    this.members = this.count;
    this.formerSlots = before;
    if (this.nextIndex - this.localFirst < localsMax / 2) return;
    this.nextIndex = this.localFirst;
    ++this.nextGeneration;
  }

  private formerOfCollected(): Int32Array<ArrayBuffer> {
    return Int32Array.from({ length: this.collectedCount }, (_, i) => {
      const { index, generation } = this.collected[i]!;
      const entity = entityOf(index, generation);
      const slot = this.slotOf(entity);
      return slot >= 0 ? slot : (this.matched.find((each) => each.real === entity)?.localSlot ?? -1);
    });
  }

  /** Gives a slot the mirror's component, over what it was before. */
  private fill(tracked: TrackedComponent, slot: number, before: number, former: FormerRows): void {
    const { index, owner } = this.current[slot]!;
    const place = tracked.mirrored(index);
    if (place < 0) return;
    tracked.rows.setDefault(slot);
    tracked.rows.written[slot] = 0;
    if (before >= 0 && former.has[before] === 1) tracked.rows.copy(former.bytes, before, slot);
    tracked.copyRow(place, owner, tracked.rows.views.bytes, slot);
  }
}

/** Refuses a SpawnKey that is not that of engine.fbs. */
function checkKey({ fields }: Component): void {
  for (const [name, of] of Object.entries(keyFields)) {
    const field = fields.find(({ path }) => path === name);
    const isPlain = field?.kind === of && field.count === 1 && field.countField < 0 && field.enumValues.length === 0;
    if (!isPlain || field.notSent) refuse("another SpawnKey", `the server's SpawnKey has no ${name} like that of engine.fbs`);
  }
}

function declare(world: World, name: string): TrackedComponent {
  const component =
    findComponent(world.schema, name) ??
    refuse("unknown component", `Rules.reads lists ${name}, which the schema does not have`);
  if (component.notSent) refuse("not sent", `Rules.reads lists ${name}, which clients do not receive`);
  return new TrackedComponent(world, component, false);
}
