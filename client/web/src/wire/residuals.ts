// Entropy code of residuals: symbols of 128 tables, and the bits that follow them.
import type { BitReader } from "../core/bits.js";
import { refuse } from "../core/refusal.js";
import { residualLengths } from "./residual_lengths.js";

/** Symbols that are no distance. */
export const symbol = { far: 32, hold: 33, others: 34, turned: 35, small: 36 } as const;

const symbols = 44;
const longest = 12; // bits of a code
const nearBits = 7; // codes up to this length are found by their bits
const nearMask = (1 << nearBits) - 1;

const near = new Uint16Array(residualLengths.length << nearBits); // length << 8 | symbol; 0 if the code is longer
const codes = new Uint16Array(residualLengths.length * symbols); // the first bit is the lowest
const lengths = new Uint8Array(residualLengths.length * symbols);

function mirrored(code: number, length: number): number {
  let bits = 0;
  for (let i = 0; i < length; ++i) bits |= ((code >> i) & 1) << (length - 1 - i);
  return bits;
}

function makeTable(table: number, digits: string): void {
  let code = 0;
  for (let length = 1; length <= longest; ++length, code <<= 1) {
    for (let which = 0; which < symbols; ++which) {
      if (parseInt(digits[which]!, 16) !== length) continue;
      const bits = mirrored(code++, length);
      codes[table * symbols + which] = bits;
      lengths[table * symbols + which] = length;
      if (length > nearBits) continue;
      for (let place = bits; place <= nearMask; place += 1 << length)
        near[(table << nearBits) + place] = (length << 8) | which;
    }
  }
}

residualLengths.forEach((digits, table) => makeTable(table, digits));

export function readSymbol(bits: BitReader, table: number): number {
  const next = bits.peek();
  const found = near[(table << nearBits) + (next & nearMask)]!;
  if (found !== 0) {
    bits.skip(found >> 8);
    return found & 0xff;
  }
  for (let which = table * symbols; which < (table + 1) * symbols; ++which) {
    const length = lengths[which]!;
    if (length <= nearBits || (next & ((1 << length) - 1)) !== codes[which]) continue;
    bits.skip(length);
    return which - table * symbols;
  }
  return refuse("malformed bits", "bits that are no code");
}

/** Reads what follows a symbol of one number, from 0 to 32. */
export function readResidual(bits: BitReader, which: number): number {
  let distance = which;
  if (which === symbol.far) {
    distance = 0x8000 + bits.golomb(12);
  } else if (which >= 8) {
    const e = 3 + ((which - 8) >> 1);
    distance = ((2 + (which & 1)) << (e - 1)) + bits.read(e - 1);
  }
  return distance > 0 && bits.bit() === 1 ? -distance : distance;
}

/** Returns h(n): 0 for 0, else 1 + 2e + f with n's highest bit e and the bit f below that. */
export function halfOctave(n: number): number {
  if (n === 0) return 0;
  if (n === 1) return 1;
  const e = n > 0xffff_ffff ? Math.floor(Math.log2(n)) : 31 - Math.clz32(n);
  return 1 + 2 * e + (Math.floor(n / 2 ** (e - 1)) % 2);
}
