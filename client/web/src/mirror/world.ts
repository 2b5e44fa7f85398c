// Entities and components of a mirror: the generations of those that exist, their prototypes, and the pools of values.
import { refuse } from "../core/refusal.js";
import { fnv1a32 } from "../core/fnv.js";
import { hex32 } from "../core/bytes.js";
import type { Schema } from "../reflect/schema.js";
import { hashPrototype, sumHigh, sumLow } from "../wire/entity_hash.js";
import { type EntityLayout, makeEntityLayout } from "../wire/entity_layout.js";
import type { ComponentRef } from "../wire/messages.js";
import { type RowLayout, makeRowLayout } from "../wire/row_layout.js";
import { Pool } from "./pool.js";

/** Components that entities have in common, by type and instance. */
export class Prototype {
  private made: EntityLayout | null = null;

  constructor(
    readonly components: readonly ComponentRef[],
    readonly pools: readonly Pool[],
    readonly hashLow: number,
    readonly hashHigh: number,
    private readonly noteLayout: (prototype: Prototype, words: number) => void,
  ) {}

  /** Layout of its entities, made when it is needed: a server can announce prototypes that no entity has. */
  get layout(): EntityLayout {
    if (this.made === null) {
      this.made = makeEntityLayout(this.pools.map((pool) => pool.row));
      this.noteLayout(this, this.made.words);
    }
    return this.made;
  }

  forgetLayout(): void {
    this.made = null;
  }
}

// Bounds of what a server can make a client keep.
const namesMax = 1 << 16;
const poolsMax = 4096;
const prototypesMax = 1 << 16; // in use
const prototypesKept = 1024; // in use or not
const entityWordsMax = 16_384;
const layoutWordsMax = 1 << 20; // sum over all layouts

export class World {
  /** By index; 0 for none. */
  generations = new Uint32Array(64);
  readonly prototypes: (Prototype | undefined)[] = [];
  readonly names = new Map<number, string>();
  readonly pools = new Map<string, Pool>();
  /** Results of findPool, until a pool is added. */
  private readonly found = new Map<string, Pool | null>();
  readonly empty: Prototype;
  private readonly rows = new Map<number, RowLayout>();
  private readonly interned = new Map<string, Prototype>();
  private sweepAt = prototypesKept;
  private readonly laidOut: Prototype[] = [];
  private layoutWords = 0;

  constructor(
    readonly schema: Schema,
    readonly entitiesMax: number,
  ) {
    for (const component of schema.components.values()) this.addName(component.name);
    this.empty = this.intern([]);
  }

  addName(text: string): void {
    if (this.names.size >= namesMax) refuse("too many names", `the server announced more than ${namesMax} names`);
    this.names.set(fnv1a32(text), text);
  }

  nameOf(id: number): string {
    return this.names.get(id) ?? hex32(id);
  }

  /** Returns the prototype with these components, which are sorted. */
  intern(components: readonly ComponentRef[]): Prototype {
    const key = components.map(({ type, instance }) => hex32(type) + hex32(instance)).join();
    const known = this.interned.get(key);
    if (known !== undefined) return known;
    if (this.interned.size >= 4 * prototypesMax) refuse("too many prototypes", `more than ${4 * prototypesMax} prototypes`);
    const pools = components.map((ref) => this.openPool(ref));
    const words = pools.reduce((sum, { row }) => sum + row.words, 0);
    if (words > entityWordsMax) refuse("bad prototype", `an entity has at most ${entityWordsMax} words`);
    hashPrototype(components);
    const prototype = new Prototype(components, pools, sumLow, sumHigh, this.noteLayout);
    this.interned.set(key, prototype);
    return prototype;
  }

  /** Forgets all other layouts if they are too large. Those in use are made again. */
  private readonly noteLayout = (prototype: Prototype, words: number): void => {
    if (this.layoutWords + words > layoutWordsMax) {
      for (const each of this.laidOut.splice(0)) each.forgetLayout();
      this.layoutWords = 0;
    }
    this.laidOut.push(prototype);
    this.layoutWords += words;
  };

  /** Returns whether prototypes without use are to be forgotten. */
  get isCrowded(): boolean {
    return this.interned.size >= this.sweepAt;
  }

  /** Forgets prototypes that are not in use: announcements alone could add ever more. */
  forgetOthers(used: ReadonlySet<Prototype>): void {
    for (const [key, prototype] of this.interned) if (!used.has(prototype)) this.interned.delete(key);
    const { size } = this.interned;
    if (size > prototypesMax) refuse("too many prototypes", `more than ${prototypesMax} prototypes are in use`);
    this.sweepAt = Math.max(prototypesKept, 2 * size);
  }

  /** Refuses components that are not in the schema, are never sent, or have no name. */
  check(components: readonly ComponentRef[]): void {
    const instances = new Set<number>();
    for (const { type, instance } of components) {
      const component = this.schema.components.get(type);
      if (component === undefined) refuse("unknown component", `the schema has no component type ${hex32(type)}`);
      if (component.notSent) refuse("bad prototype", `${component.name} is server-only and never sent`);
      if (!this.names.has(instance)) refuse("bad prototype", `instance name ${hex32(instance)} was not announced`);
      if (instances.has(instance))
        refuse("bad prototype", `two components have the instance name ${this.nameOf(instance)}`);
      instances.add(instance);
    }
  }

  rowOf(type: number): RowLayout {
    const known = this.rows.get(type);
    if (known !== undefined) return known;
    const row = makeRowLayout(this.schema.components.get(type)!);
    this.rows.set(type, row);
    return row;
  }

  private openPool(ref: ComponentRef): Pool {
    const key = `${this.schema.components.get(ref.type)!.name}/${this.nameOf(ref.instance)}`;
    const known = this.pools.get(key);
    if (known !== undefined) return known;
    if (this.pools.size >= poolsMax) refuse("too many pools", `a world has at most ${poolsMax} pools`);
    const pool = new Pool(ref, this.nameOf(ref.instance), this.rowOf(ref.type));
    this.pools.set(key, pool);
    this.found.clear();
    return pool;
  }

  /** Returns the pool of a name: of an instance such as "Body", or "Type/instance". Null if no entity had one yet. */
  findPool(name: string): Pool | null {
    let pool = this.found.get(name);
    if (pool === undefined) this.found.set(name, (pool = this.searchPool(name)));
    return pool;
  }

  private searchPool(name: string): Pool | null {
    const exact = this.pools.get(name) ?? this.pools.get(`${name}/${name}`);
    if (exact !== undefined) return exact;
    for (const pool of this.pools.values()) if (pool.name === name) return pool;
    return null;
  }

  generationAt(index: number): number {
    return index < this.generations.length ? this.generations[index]! : 0;
  }

  has(index: number, generation: number): boolean {
    return generation !== 0 && this.generationAt(index) === generation;
  }

  create(index: number, generation: number): void {
    if (index >= this.generations.length) {
      const generations = new Uint32Array(Math.max(index + 1, 2 * this.generations.length));
      generations.set(this.generations);
      this.generations = generations;
    }
    this.generations[index] = generation;
    this.prototypes[index] = this.empty;
  }

  destroy(index: number): void {
    for (const pool of this.prototypes[index]!.pools) pool.remove(index);
    this.generations[index] = 0;
    this.prototypes[index] = undefined;
  }

  /** Gives an entity the components of a prototype. Returns whether it had others. */
  recompose(index: number, prototype: Prototype): boolean {
    const before = this.prototypes[index]!;
    if (before === prototype) return false;
    for (const pool of before.pools) if (!prototype.pools.includes(pool)) pool.remove(index);
    for (const pool of prototype.pools) if (pool.find(index) < 0) pool.add(index);
    this.prototypes[index] = prototype;
    return true;
  }
}
