// XXH3-64 of xxHash 0.8, with numbers of 64 bits as two of 32. Results are left in hashLow and hashHigh, since there is
// a hash for each row of each delta.
import { fromHex } from "./bytes.js";

/** The two halves of the latest result. */
export let hashLow = 0;
export let hashHigh = 0;

const secret = fromHex(
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb" +
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e",
);

// 64-bit arithmetic. Results are in `low` and `high`.
let low = 0;
let high = 0;

/** Returns the upper half of the product of two 32-bit numbers. */
function mulHigh(a: number, b: number): number {
  return Math.floor((a * (b >>> 16) + Math.floor((a * (b & 0xffff)) / 0x1_0000)) / 0x1_0000);
}

function add(aLow: number, aHigh: number, bLow: number, bHigh: number): void {
  const sum = aLow + bLow;
  low = sum >>> 0;
  high = (aHigh + bHigh + (sum > 0xffff_ffff ? 1 : 0)) >>> 0;
}

function subtract(aLow: number, aHigh: number, bLow: number, bHigh: number): void {
  low = (aLow - bLow) >>> 0;
  high = (aHigh - bHigh - (aLow < bLow ? 1 : 0)) >>> 0;
}

/** Leaves the lower 64 bits of a product. */
function multiply(aLow: number, aHigh: number, bLow: number, bHigh: number): void {
  low = Math.imul(aLow, bLow) >>> 0;
  high = (mulHigh(aLow, bLow) + (Math.imul(aLow, bHigh) >>> 0) + (Math.imul(aHigh, bLow) >>> 0)) >>> 0;
}

/** Leaves the exclusive or of both halves of a product of 128 bits. */
function fold(aLow: number, aHigh: number, bLow: number, bHigh: number): void {
  const cross = mulHigh(aLow, bLow) + (Math.imul(aLow, bHigh) >>> 0) + (Math.imul(aHigh, bLow) >>> 0);
  const third =
    (Math.imul(aHigh, bHigh) >>> 0) + mulHigh(aLow, bHigh) + mulHigh(aHigh, bLow) + Math.floor(cross / 0x1_0000_0000);
  const fourth = mulHigh(aHigh, bHigh) + Math.floor(third / 0x1_0000_0000);
  low = (Math.imul(aLow, bLow) ^ third) >>> 0;
  high = (cross ^ fourth) >>> 0;
}

/** Leaves `low` and `high` xor themselves shifted right by 1 to 63 bits. */
function xorShift(bits: number): void {
  if (bits >= 32) {
    low = (low ^ (bits === 32 ? high : high >>> (bits - 32))) >>> 0;
    return;
  }
  low = (low ^ ((low >>> bits) | (high << (32 - bits)))) >>> 0;
  high = (high ^ (high >>> bits)) >>> 0;
}

function avalanche(): void {
  xorShift(37);
  multiply(low, high, 0x9e3779f9, 0x16566791);
  xorShift(32);
}

function avalanche64(): void {
  xorShift(33);
  multiply(low, high, 0x27d4eb4f, 0xc2b2ae3d);
  xorShift(29);
  multiply(low, high, 0x9e3779f9, 0x165667b1);
  xorShift(32);
}

const read = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
const swap = (n: number): number => ((n << 24) | ((n & 0xff00) << 8) | ((n >>> 8) & 0xff00) | (n >>> 24)) >>> 0;
const flip = (a: number, b: number): number => (read(secret, a) ^ read(secret, b)) >>> 0;

function hashTiny(bytes: Uint8Array, size: number, seedLow: number, seedHigh: number): void {
  const combined = bytes[size - 1]! | (size << 8) | (bytes[0]! << 16) | (bytes[size >> 1]! << 24);
  add(flip(0, 4), 0, seedLow, seedHigh);
  low = (low ^ combined) >>> 0;
  avalanche64();
}

function hashShort(bytes: Uint8Array, size: number, seedLow: number, seedHigh: number): void {
  subtract(flip(8, 16), flip(12, 20), seedLow, (seedHigh ^ swap(seedLow)) >>> 0);
  const l = (low ^ read(bytes, size - 4)) >>> 0;
  const h = (high ^ read(bytes, 0)) >>> 0;
  low = (l ^ ((l << 24) | (h >>> 8)) ^ ((h << 17) | (l >>> 15))) >>> 0;
  high = (h ^ ((h << 24) | (l >>> 8)) ^ ((l << 17) | (h >>> 15))) >>> 0;
  multiply(low, high, 0x1e98df25, 0x9fb21c65);
  low = (low ^ ((high >>> 3) + size)) >>> 0;
  multiply(low, high, 0x1e98df25, 0x9fb21c65);
  xorShift(28);
}

function hashMiddle(bytes: Uint8Array, size: number, seedLow: number, seedHigh: number): void {
  add(flip(24, 32), flip(28, 36), seedLow, seedHigh);
  const firstLow = (low ^ read(bytes, 0)) >>> 0;
  const firstHigh = (high ^ read(bytes, 4)) >>> 0;
  subtract(flip(40, 48), flip(44, 52), seedLow, seedHigh);
  const lastLow = (low ^ read(bytes, size - 8)) >>> 0;
  const lastHigh = (high ^ read(bytes, size - 4)) >>> 0;
  fold(firstLow, firstHigh, lastLow, lastHigh);
  add(low, high, swap(firstHigh), swap(firstLow));
  add(low, high, lastLow, lastHigh);
  add(low, high, size, 0);
  avalanche();
}

let sumLow = 0;
let sumHigh = 0;

/** Adds the fold of 16 bytes to the sum. */
function mix(bytes: Uint8Array, at: number, key: number, seedLow: number, seedHigh: number): void {
  add(read(secret, key), read(secret, key + 4), seedLow, seedHigh);
  const aLow = (low ^ read(bytes, at)) >>> 0;
  const aHigh = (high ^ read(bytes, at + 4)) >>> 0;
  subtract(read(secret, key + 8), read(secret, key + 12), seedLow, seedHigh);
  fold(aLow, aHigh, (low ^ read(bytes, at + 8)) >>> 0, (high ^ read(bytes, at + 12)) >>> 0);
  add(low, high, sumLow, sumHigh);
  sumLow = low;
  sumHigh = high;
}

function beginSum(size: number): void {
  multiply(size, 0, 0x85ebca87, 0x9e3779b1);
  sumLow = low;
  sumHigh = high;
}

function hashLong(bytes: Uint8Array, size: number, seedLow: number, seedHigh: number): void {
  beginSum(size);
  for (let i = (size - 1) >> 5; i >= 0; --i) {
    mix(bytes, 16 * i, 32 * i, seedLow, seedHigh);
    mix(bytes, size - 16 * (i + 1), 32 * i + 16, seedLow, seedHigh);
  }
  low = sumLow;
  high = sumHigh;
  avalanche();
}

function hashLonger(bytes: Uint8Array, size: number, seedLow: number, seedHigh: number): void {
  beginSum(size);
  for (let i = 0; i < 8; ++i) mix(bytes, 16 * i, 16 * i, seedLow, seedHigh);
  low = sumLow;
  high = sumHigh;
  avalanche();
  sumLow = low;
  sumHigh = high;
  for (let i = 8; i < size >> 4; ++i) mix(bytes, 16 * i, 16 * (i - 8) + 3, seedLow, seedHigh);
  mix(bytes, size - 16, 119, seedLow, seedHigh);
  low = sumLow;
  high = sumHigh;
  avalanche();
}

// Above 240 bytes: eight sums, to which stripes of 64 bytes are added. A block has 16 stripes.

const stripe = 64;
const block = 16 * stripe;
const begin = Uint32Array.of(
  0xc2b2ae3d,
  0,
  0x85ebca87,
  0x9e3779b1,
  0x27d4eb4f,
  0xc2b2ae3d,
  0x9e3779f9,
  0x165667b1,
  0xc2b2ae63,
  0x85ebca77,
  0x85ebca77,
  0,
  0x165667c5,
  0x27d4eb2f,
  0x9e3779b1,
  0,
);
const sums = new Uint32Array(16);
const keys = new Uint8Array(secret.length);
const keyView = new DataView(keys.buffer);

function seedKeys(seedLow: number, seedHigh: number): void {
  for (let at = 0; at < keys.length; at += 8) {
    if (at % 16 === 0) add(read(secret, at), read(secret, at + 4), seedLow, seedHigh);
    else subtract(read(secret, at), read(secret, at + 4), seedLow, seedHigh);
    keyView.setUint32(at, low, true);
    keyView.setUint32(at + 4, high, true);
  }
}

function addStripe(bytes: Uint8Array, at: number, key: number): void {
  for (let i = 0; i < 16; i += 2) {
    const dataLow = read(bytes, at + 4 * i);
    const dataHigh = read(bytes, at + 4 * i + 4);
    const a = (dataLow ^ read(keys, key + 4 * i)) >>> 0;
    const b = (dataHigh ^ read(keys, key + 4 * i + 4)) >>> 0;
    const other = i ^ 2;
    add(sums[other]!, sums[other + 1]!, dataLow, dataHigh);
    sums[other] = low;
    sums[other + 1] = high;
    add(sums[i]!, sums[i + 1]!, Math.imul(a, b) >>> 0, mulHigh(a, b));
    sums[i] = low;
    sums[i + 1] = high;
  }
}

function scramble(): void {
  for (let i = 0; i < 16; i += 2) {
    low = sums[i]!;
    high = sums[i + 1]!;
    xorShift(47);
    multiply((low ^ read(keys, 128 + 4 * i)) >>> 0, (high ^ read(keys, 132 + 4 * i)) >>> 0, 0x9e3779b1, 0);
    sums[i] = low;
    sums[i + 1] = high;
  }
}

function hashStripes(bytes: Uint8Array, size: number, seedLow: number, seedHigh: number): void {
  seedKeys(seedLow, seedHigh);
  sums.set(begin);
  for (let at = 0; at + stripe < size; at += stripe) {
    addStripe(bytes, at, (at % block) / 8);
    if ((at + stripe) % block === 0 && at + stripe < size) scramble();
  }
  addStripe(bytes, size - stripe, 121);
  beginSum(size);
  for (let i = 0; i < 16; i += 4) {
    const at = 11 + 4 * i;
    fold(
      (sums[i]! ^ read(keys, at)) >>> 0,
      (sums[i + 1]! ^ read(keys, at + 4)) >>> 0,
      (sums[i + 2]! ^ read(keys, at + 8)) >>> 0,
      (sums[i + 3]! ^ read(keys, at + 12)) >>> 0,
    );
    add(low, high, sumLow, sumHigh);
    sumLow = low;
    sumHigh = high;
  }
  avalanche();
}

/** Hashes the first `size` bytes. The result is in hashLow and hashHigh. */
export function xxh3(bytes: Uint8Array, size: number, seedLow = 0, seedHigh = 0): void {
  if (size === 0) {
    low = (flip(56, 64) ^ seedLow) >>> 0;
    high = (flip(60, 68) ^ seedHigh) >>> 0;
    avalanche64();
  } else if (size <= 3) hashTiny(bytes, size, seedLow, seedHigh);
  else if (size <= 8) hashShort(bytes, size, seedLow, seedHigh);
  else if (size <= 16) hashMiddle(bytes, size, seedLow, seedHigh);
  else if (size <= 128) hashLong(bytes, size, seedLow, seedHigh);
  else if (size <= 240) hashLonger(bytes, size, seedLow, seedHigh);
  else hashStripes(bytes, size, seedLow, seedHigh);
  hashLow = low;
  hashHigh = high;
}

/** Returns the sixteen hex digits of a number of two halves. */
export function hex64(lower: number, upper: number): string {
  return upper.toString(16).padStart(8, "0") + lower.toString(16).padStart(8, "0");
}
