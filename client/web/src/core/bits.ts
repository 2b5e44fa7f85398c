// Bits of messages: fixed widths and exponential Golomb codes, the lowest bit of a byte first.
import { refuse } from "./refusal.js";

const padding = 8; // zero bytes behind the end, so that any read stays inside the array

/** Reads bits of a copy of some bytes. Reads beyond the end are refused. */
export class BitReader {
  private bytes = new Uint8Array(2048);
  at = 0; // in bits
  private end = 0;

  reset(from: Uint8Array): void {
    if (this.bytes.length < from.length + padding) this.bytes = new Uint8Array(2 * from.length + padding);
    this.bytes.set(from);
    this.bytes.fill(0, from.length, from.length + padding);
    this.at = 0;
    this.end = from.length * 8;
  }

  left(): number {
    return this.end - this.at;
  }

  /** Returns the next bits without moving, at least 25 of them. Bits beyond the end are zeros. */
  peek(): number {
    const bytes = this.bytes;
    const byte = this.at >>> 3;
    const word = bytes[byte]! | (bytes[byte + 1]! << 8) | (bytes[byte + 2]! << 16) | (bytes[byte + 3]! << 24);
    return word >>> (this.at & 7);
  }

  skip(count: number): void {
    this.at += count;
    if (this.at > this.end) refuse("malformed bits", "bits end too early");
  }

  bit(): number {
    const bit = (this.bytes[this.at >>> 3]! >>> (this.at & 7)) & 1;
    this.skip(1);
    return bit;
  }

  /** Reads an unsigned number of at most 32 bits. */
  read(count: number): number {
    if (count > 24) {
      const low = this.read(16);
      return low + this.read(count - 16) * 0x1_0000;
    }
    const value = this.peek() & ((1 << count) - 1);
    this.skip(count);
    return value;
  }

  /** Reads an exponential Golomb code; the number has at most 32 bits. */
  golomb(order: number): number {
    let zeros = 0;
    for (let next = this.peek(); (next & 0xff_ffff) === 0; next = this.peek()) {
      this.skip(24);
      zeros += 24;
      if (zeros + order > 32) refuse("malformed bits", "a number has more than 32 bits");
    }
    const next = this.peek();
    const more = 31 - Math.clz32(next & -next);
    zeros += more;
    this.skip(more + 1);
    if (zeros + order > 32) refuse("malformed bits", "a number has more than 32 bits");
    const width = zeros + order;
    const value = this.read(width) + 2 ** width - 2 ** order;
    if (value > 0xffff_ffff) refuse("malformed bits", "a number has more than 32 bits");
    return value;
  }

  /** Refuses bits that go on after what was read, or that are not zero up to the byte's end. */
  finish(): void {
    if (this.left() >= 8 || this.read(this.left()) !== 0) refuse("malformed bits", "bits go on after their end");
  }
}

/** Appends bits to a buffer that grows. */
export class BitWriter {
  private bytes = new Uint8Array(256);
  private at = 0;

  reset(): void {
    this.bytes.fill(0, 0, (this.at + 7) >>> 3);
    this.at = 0;
  }

  size(): number {
    return (this.at + 7) >>> 3;
  }

  view(): Uint8Array {
    return this.bytes.subarray(0, this.size());
  }

  write(value: number, count: number): void {
    if (this.at + count > this.bytes.length * 8) this.grow(count);
    for (let i = 0; i < count; ++i, ++this.at)
      if (Math.floor(value / 2 ** i) % 2 === 1) this.bytes[this.at >>> 3]! |= 1 << (this.at & 7);
  }

  golomb(value: number, order: number): void {
    const m = value + 2 ** order;
    const width = m > 0xffff_ffff ? 33 : 32 - Math.clz32(m);
    this.write(0, width - 1 - order);
    this.write(1, 1);
    this.write(m % 2 ** (width - 1), width - 1);
  }

  private grow(count: number): void {
    const more = new Uint8Array(2 * this.bytes.length + count);
    more.set(this.bytes);
    this.bytes = more;
  }
}
