// The line on which deltas of rising ticks would arrive without lateness: the earliest arrivals of the last seconds.

const spans = 12;
const spanMin = 150; // ms
const spanTicks = 6;
// This many arrivals that are all far off belong to another line. A burst after a silence does not: its arrivals come
// ever closer to the old line.
const judgedArrivals = 4;
const evenTicks = 1;
const farOffMin = 150; // ms
const farOffTicks = 4;

export class ArrivalLine {
  isKnown = false;
  private origin = 0;
  private originTick = 0;
  private span = 0; // current one, counted from the origin
  private readonly earliest: number[] = Array(spans).fill(Infinity);
  private arrivals = 0; // in the current span
  private steady = 0; // latest arrivals in a row that were far off by about the same amount
  private lastOffset = 0;
  private line = 0; // smallest of `earliest`

  constructor(private readonly tickLength: number) {}

  private sinceOrigin(now: number): number {
    return (now - this.origin) / this.tickLength;
  }

  /** Returns the tick that would arrive now. */
  at(now: number): number {
    return this.originTick + this.sinceOrigin(now) - this.line;
  }

  /** Notes an arrival. Returns whether the line has moved to another place because of it. */
  add(tick: number, now: number): boolean {
    if (!this.isKnown) {
      this.isKnown = true;
      this.origin = now;
      this.originTick = tick;
    }
    const span = Math.floor((now - this.origin) / Math.max(spanMin, spanTicks * this.tickLength));
    let moved = span > this.span && this.beginSpan(span);
    const offset = this.sinceOrigin(now) - (tick - this.originTick);
    moved = this.judgeSteady(offset) || moved;
    const place = this.span % spans;
    this.earliest[place] = Math.min(this.earliest[place]!, offset);
    ++this.arrivals;
    this.line = Math.min(...this.earliest);
    return moved;
  }

  private farOff(): number {
    return Math.max(farOffTicks, farOffMin / this.tickLength);
  }

  private beginSpan(span: number): boolean {
    const last = this.earliest[this.span % spans]!;
    const isFar = this.arrivals >= judgedArrivals && last > this.line + this.farOff();
    if (isFar) this.restart(last);
    const steps = Math.min(span - this.span, spans);
    for (let i = 0; i < steps; ++i) this.earliest[(span - i) % spans] = Infinity;
    this.span = span;
    this.arrivals = 0;
    return isFar;
  }

  private judgeSteady(offset: number): boolean {
    const isEven = Math.abs(offset - this.lastOffset) < evenTicks;
    this.lastOffset = offset;
    if (offset <= this.line + this.farOff()) {
      this.steady = 0;
      return false;
    }
    this.steady = isEven ? this.steady + 1 : 1;
    if (this.steady < judgedArrivals) return false;
    this.steady = 0;
    this.restart(offset);
    return true;
  }

  private restart(earliest: number): void {
    this.earliest.fill(Infinity);
    this.earliest[this.span % spans] = earliest;
  }
}
