/** Sum of hashes, of 64 bits that wrap. */
export class HashSum {
  low = 0;
  high = 0;

  add(low: number, high: number): void {
    const sum = this.low + low;
    this.low = sum >>> 0;
    this.high = (this.high + high + (sum > 0xffff_ffff ? 1 : 0)) >>> 0;
  }

  subtract(low: number, high: number): void {
    const borrow = this.low < low ? 1 : 0;
    this.low = (this.low - low) >>> 0;
    this.high = (this.high - high - borrow) >>> 0;
  }
}
