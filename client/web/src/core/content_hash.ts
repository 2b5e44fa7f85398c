// Hash of schemas and files: BLAKE2b-256 (RFC 7693). Numbers of 64 bits are pairs of words, the low one first.
import { u32 } from "./bytes.js";
import { type Work, finish } from "./work.js";

const blockBytes = 128;
const blocksPerPiece = 512;
const hashBytes = 32;

/** Order of the message's numbers in each round, as hexadecimal digits. The last two rounds are the first two. */
const orders =
  "0123456789abcdefea489fd61c02b753" +
  "b8c052fdae3671947931dcbe265a40f8" +
  "905724afe1bc683d2c6a0b834d75fe19" +
  "c51fed4a0763928bdb7ec13950f4862a" +
  "6fe9b308c2d714a5a2847615fb9e3cd0";

/** Fractional parts of the square roots of the first eight primes. */
const begin = [
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a, 0xade682d1,
  0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
];

const order = Uint8Array.from(orders + orders.slice(0, 32), (digit) => 2 * parseInt(digit, 16));
const m = new Uint32Array(32);
const v = new Uint32Array(32);

/**
 * Half of the function G of the RFC; `x` is a place of the message. Rotates d to the right by 32 bits or by 16, and b by 24
 * or by 63, which is one to the left.
 */
function mixHalf(a: number, b: number, c: number, d: number, x: number, isFirst: boolean): void {
  let low = v[a]! + v[b]! + m[x]!; // up to 34 bits
  const aHigh = v[a + 1]! + v[b + 1]! + m[x + 1]! + Math.floor(low / 0x1_0000_0000);
  v[a] = low;
  v[a + 1] = aHigh;
  low = v[d]! ^ low;
  const high = v[d + 1]! ^ aHigh;
  const dLow = (isFirst ? high : (low >>> 16) | (high << 16)) >>> 0;
  const dHigh = (isFirst ? low : (high >>> 16) | (low << 16)) >>> 0;
  v[d] = dLow;
  v[d + 1] = dHigh;
  low = v[c]! + dLow;
  const cHigh = v[c + 1]! + dHigh + (low > 0xffff_ffff ? 1 : 0);
  v[c] = low;
  v[c + 1] = cHigh;
  const bLow = v[b]! ^ low;
  const bHigh = v[b + 1]! ^ cHigh;
  v[b] = isFirst ? (bLow >>> 24) | (bHigh << 8) : (bLow << 1) | (bHigh >>> 31);
  v[b + 1] = isFirst ? (bHigh >>> 24) | (bLow << 8) : (bHigh << 1) | (bLow >>> 31);
}

/** Returns the place of the number in row `row` of a mix: of columns, then of diagonals, which turn by one place a row. */
const placeOf = (which: number, row: number): number => 8 * row + 2 * ((which + (which >> 2) * row) & 3);
const places = Uint8Array.from({ length: 32 }, (_, i) => placeOf(i >> 2, i & 3));

/** Hashes the block in `m`. `end` is the number of bytes up to its end. */
function compress(h: Uint32Array, end: number, isLast: boolean): void {
  v.set(h);
  v.set(begin, 16);
  v[24]! ^= end;
  v[25]! ^= Math.floor(end / 0x1_0000_0000);
  if (isLast) {
    v[28] = ~v[28]!;
    v[29] = ~v[29]!;
  }
  for (let i = 0; i < order.length; ++i) {
    const at = 4 * ((i >> 1) & 7);
    mixHalf(places[at]!, places[at + 1]!, places[at + 2]!, places[at + 3]!, order[i]!, (i & 1) === 0);
  }
  for (let i = 0; i < 16; ++i) h[i]! ^= v[i]! ^ v[i + 16]!;
}

/** Hashes bytes in pieces. */
export function* contentHashWork(bytes: Uint8Array): Work<Uint8Array> {
  const h = Uint32Array.from(begin);
  h[0]! ^= 0x0101_0000 ^ hashBytes;
  const block = new Uint8Array(blockBytes);
  const blocks = Math.max(1, Math.ceil(bytes.length / blockBytes));
  for (let i = 0; i < blocks; ++i) {
    const part = bytes.subarray(i * blockBytes, (i + 1) * blockBytes);
    block.fill(0, part.length);
    block.set(part);
    for (let word = 0; word < 32; ++word) m[word] = u32(block, 4 * word);
    compress(h, i * blockBytes + part.length, i === blocks - 1);
    if (i % blocksPerPiece === blocksPerPiece - 1) yield;
  }
  return new Uint8Array(h.buffer).slice(0, hashBytes);
}

export function contentHash(bytes: Uint8Array): Uint8Array {
  return finish(contentHashWork(bytes));
}
