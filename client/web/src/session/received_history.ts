// Which bodies of the other side have arrived, and how that is reported: each at least once, better twice.

const remembered = 1024;
const acksPerHeader = 33;
const reportReach = remembered - 64;

/** Returns whether a is 1 to 32,767 after b. */
export function isAfter(a: number, b: number): boolean {
  const distance = (a - b) & 0xffff;
  return distance > 0 && distance < 0x8000;
}

const distance = (from: number, to: number): number => (to - from) & 0xffff;

export class ReceivedHistory {
  private newest = 0;
  private readonly bits = new Uint8Array(remembered).fill(1);
  // Everything up to these: reported in this flush, in the one before, and in two.
  private cursor = 0;
  private reportedTo = 0;
  private confirmed = 0;

  has(sequence: number): boolean {
    return this.bits[sequence % remembered] === 1;
  }

  isNew(sequence: number): boolean {
    if (isAfter(sequence, this.newest)) return true;
    return distance(sequence, this.newest) < remembered && !this.has(sequence);
  }

  note(sequence: number): void {
    if (isAfter(sequence, this.newest)) {
      if (distance(this.newest, sequence) >= remembered) this.bits.fill(0);
      else for (let s = (this.newest + 1) & 0xffff; s !== sequence; s = (s + 1) & 0xffff) this.bits[s % remembered] = 0;
      this.newest = sequence;
    } else {
      // A late body is reported too.
      const before = (sequence - 1) & 0xffff;
      if (!isAfter(sequence, this.cursor)) this.cursor = before;
      if (!isAfter(sequence, this.reportedTo)) this.reportedTo = before;
      if (!isAfter(sequence, this.confirmed)) this.confirmed = before;
    }
    this.bits[sequence % remembered] = 1;
  }

  beginReport(): void {
    this.cursor = this.confirmed;
    if (distance(this.cursor, this.newest) > reportReach) this.cursor = (this.newest - reportReach) & 0xffff;
    this.confirmed = this.reportedTo;
    this.reportedTo = this.newest;
  }

  /** Returns whether the headers of this flush have reported everything. */
  isReported(): boolean {
    return this.cursor === this.newest;
  }

  /** Returns the `ack` of the next header. */
  nextAck(): number {
    while (distance(this.cursor, this.newest) > acksPerHeader) {
      const before = this.cursor;
      this.cursor = (before + acksPerHeader) & 0xffff;
      for (let s = this.cursor; s !== before; s = (s - 1) & 0xffff) if (this.has(s)) return s;
    }
    this.cursor = this.newest;
    return this.newest;
  }

  /** Returns the bits of sequences before an ack: bit n is of ack - 1 - n. */
  bitsBefore(ack: number): number {
    let bits = 0;
    for (let n = 0; n < 32; ++n) if (this.has((ack - 1 - n) & 0xffff)) bits |= 1 << n;
    return bits >>> 0;
  }
}
