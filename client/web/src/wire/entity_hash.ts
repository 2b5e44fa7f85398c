// Hashes of entities, by which server and client verify that they have the same values. docs/protocol.md, Verification.
import { hashHigh, hashLow, xxh3 } from "../core/xxh3.js";
import type { EntityLayout } from "./entity_layout.js";
import type { ComponentRef } from "./messages.js";

/** The latest result. */
export let sumLow = 0;
export let sumHigh = 0;

const bytes = new Uint8Array(4 * 65_536);
const numbers = new Uint32Array(bytes.buffer);

function addHash(): void {
  const low = sumLow + hashLow;
  sumLow = low >>> 0;
  sumHigh = (sumHigh + hashHigh + (low > 0xffff_ffff ? 1 : 0)) >>> 0;
}

// Rows of little-endian words: all engines that browsers run on are.
function hashWords(words: Uint32Array, first: number, count: number, seedLow: number, seedHigh: number): void {
  for (let i = 0; i < count; ++i) numbers[i] = words[first + i]!;
  xxh3(bytes, 4 * count, seedLow, seedHigh);
}

/** Returns the upper half of the product of a 32-bit number and 0x7f4a7c15. */
const carry = (n: number): number => Math.floor((n * 0x7f4a + Math.floor((n * 0x7c15) / 0x1_0000)) / 0x1_0000);

let seedLow = 0;
let seedHigh = 0;

/** Leaves the seed of an entity's rows, without the part of the component: its handle * 0x9e3779b97f4a7c15. */
function seedOf(index: number, generation: number): void {
  seedLow = Math.imul(index, 0x7f4a7c15) >>> 0;
  seedHigh = (carry(index) + (Math.imul(index, 0x9e3779b9) >>> 0) + (Math.imul(generation, 0x7f4a7c15) >>> 0)) >>> 0;
}

/** Leaves the hash of a row's words for everyone and for the others. `handle` is index and generation. */
export function hashPublicRow(
  layout: EntityLayout,
  which: number,
  ref: ComponentRef,
  index: number,
  generation: number,
  words: Uint32Array,
  at: number,
): void {
  const { layout: row, first } = layout.rows[which]!;
  seedOf(index, generation);
  sumLow = sumHigh = 0;
  hashWords(words, at + first, row.publicWords, (seedLow ^ ref.instance) >>> 0, (seedHigh ^ ref.type) >>> 0);
  addHash();
}

function addOwnerRow(
  layout: EntityLayout,
  which: number,
  low: number,
  high: number,
  words: Uint32Array,
  at: number,
): void {
  const { layout: row, first } = layout.rows[which]!;
  const own = row.words - row.publicWords;
  hashWords(words, at + first, own === 0 ? row.publicWords : row.commonWords, low, high);
  addHash();
  if (own === 0) return;
  const next = low + 1;
  hashWords(words, at + first + row.publicWords, own, next >>> 0, (high + (next > 0xffff_ffff ? 1 : 0)) >>> 0);
  addHash();
}

export interface HashedPrototype {
  readonly layout: EntityLayout;
  readonly components: readonly ComponentRef[];
  readonly hashLow: number;
  readonly hashHigh: number;
}

/** Leaves the hash of an entity's state, whose words begin at `at`. */
export function hashEntity(
  prototype: HashedPrototype,
  index: number,
  generation: number,
  owner: boolean,
  words: Uint32Array,
  at: number,
): void {
  numbers.set([index, 0, generation, 0, prototype.hashLow, prototype.hashHigh]);
  xxh3(bytes, 24);
  sumLow = hashLow;
  sumHigh = hashHigh;
  seedOf(index, generation);
  const { layout, components } = prototype;
  for (let i = 0; i < layout.rows.length; ++i) {
    const ref = components[i]!;
    const low = (seedLow ^ ref.instance) >>> 0;
    const high = (seedHigh ^ ref.type) >>> 0;
    const { layout: row, first } = layout.rows[i]!;
    if (owner) {
      addOwnerRow(layout, i, low, high, words, at);
    } else {
      hashWords(words, at + first, row.publicWords, low, high);
      addHash();
    }
  }
}

/** Leaves the hash of a prototype: of its components in order, as pairs of numbers. */
export function hashPrototype(components: readonly ComponentRef[]): void {
  components.forEach(({ type, instance }, i) => {
    numbers[2 * i] = type;
    numbers[2 * i + 1] = instance;
  });
  xxh3(bytes, 8 * components.length);
  sumLow = hashLow;
  sumHigh = hashHigh;
}
