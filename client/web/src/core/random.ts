// Random numbers: xoshiro256** (Blackman, Vigna 2018) seeded by splitmix64, the same as those of the server. Numbers of 64
// bits are two of 32.

let low = 0;
let high = 0;

/** Leaves the lower 64 bits of a product. */
function multiply(aLow: number, aHigh: number, bLow: number, bHigh: number): void {
  const mid = (aLow & 0xffff) * (bLow >>> 16);
  const cross = (aLow >>> 16) * (bLow & 0xffff) + (((aLow & 0xffff) * (bLow & 0xffff)) >>> 16) + (mid & 0xffff);
  const carried = (aLow >>> 16) * (bLow >>> 16) + Math.floor(mid / 0x1_0000) + Math.floor(cross / 0x1_0000);
  low = Math.imul(aLow, bLow) >>> 0;
  high = (carried + Math.imul(aLow, bHigh) + Math.imul(aHigh, bLow)) >>> 0;
}

/** Leaves `low` and `high` xor themselves shifted right by less than 32 bits. */
function xorShift(bits: number): void {
  low = (low ^ ((low >>> bits) | (high << (32 - bits)))) >>> 0;
  high = (high ^ (high >>> bits)) >>> 0;
}

const single = new Float32Array(1);
const singleBits = new Int32Array(single.buffer);

/** Returns the single before a value, toward a lower one. */
function before(value: number, lower: number): number {
  if (value === lower) return value;
  single[0] = value;
  if (single[0] === 0) singleBits[0] = lower < 0 ? 0x8000_0001 | 0 : 1;
  else singleBits[0]! += single[0]! > lower === single[0]! > 0 ? -1 : 1;
  return single[0]!;
}

export class Random {
  /** The two halves of the latest number of next(). */
  low = 0;
  high = 0;
  private readonly words = new Uint32Array(8); // low and high of each word of the state

  constructor(seed = 0n) {
    this.seed(Number(BigInt.asUintN(32, seed)), Number(BigInt.asUintN(32, seed >> 32n)));
  }

  /** Begins the numbers of a seed. */
  seed(seedLow: number, seedHigh: number): void {
    for (let i = 0; i < 8; i += 2) {
      const sum = seedLow + 0x7f4a7c15;
      seedHigh = (seedHigh + 0x9e3779b9 + (sum > 0xffff_ffff ? 1 : 0)) >>> 0;
      seedLow = sum >>> 0;
      low = seedLow;
      high = seedHigh;
      xorShift(30);
      multiply(low, high, 0x1ce4e5b9, 0xbf58476d);
      xorShift(27);
      multiply(low, high, 0x133111eb, 0x94d049bb);
      xorShift(31);
      this.words[i] = low;
      this.words[i + 1] = high;
    }
  }

  /** Draws 64 bits, which are in `low` and `high` then. */
  next(): void {
    const s = this.words;
    multiply(s[2]!, s[3]!, 5, 0);
    multiply(((low << 7) | (high >>> 25)) >>> 0, ((high << 7) | (low >>> 25)) >>> 0, 9, 0);
    this.low = low;
    this.high = high;
    const shiftedLow = s[2]! << 17;
    const shiftedHigh = (s[3]! << 17) | (s[2]! >>> 15);
    for (let half = 0; half < 2; ++half) {
      s[4 + half]! ^= s[half]!;
      s[6 + half]! ^= s[2 + half]!;
      s[2 + half]! ^= s[4 + half]!;
      s[half]! ^= s[6 + half]!;
    }
    s[4]! ^= shiftedLow;
    s[5]! ^= shiftedHigh;
    const lastLow = s[6]!;
    s[6] = (s[7]! << 13) | (lastLow >>> 19);
    s[7] = (lastLow << 13) | (s[7]! >>> 19);
  }

  /** Returns a number in [0, bound), uniform and without bias. The bound is from 1 to 2^32 - 1. */
  below(bound: number): number {
    this.next();
    multiply(this.high, 0, bound, 0);
    if (low < bound) {
      const threshold = (0x1_0000_0000 - bound) % bound;
      while (low < threshold) {
        this.next();
        multiply(this.high, 0, bound, 0);
      }
    }
    return high;
  }

  /** Returns a single in [from, to), uniform, with 24 random bits. Both are singles. */
  uniform(from: number, to: number): number {
    this.next();
    const { fround } = Math;
    const value = fround(from + fround(fround(to - from) * fround((this.high >>> 8) * 2 ** -24)));
    return value < to ? value : before(to, from); // the sum may be rounded up
  }

  /** Returns true with probability `numerator / denominator`. */
  chance(numerator: number, denominator: number): boolean {
    return this.below(denominator) < numerator;
  }
}
