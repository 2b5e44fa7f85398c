// A tick that follows a wanted tick smoothly: it runs slightly faster or slower than the server and never goes back.

const settleTime = 500; // ms in which the whole difference would be corrected

export class SlewedTick {
  value = 0;
  private isStarted = false;
  private now = 0;

  /** `speedChangeMax` is a fraction of the server's speed, `farOff` the ticks from which on it jumps. */
  constructor(
    private readonly tickLength: number,
    private readonly speedChangeMax: number,
    private readonly farOff: number,
  ) {}

  /** Advances to `now`, but not beyond `limit`, and returns the new value. */
  follow(wanted: number, limit: number, now: number): number {
    const passed = Math.max(now - this.now, 0) / this.tickLength;
    this.now = Math.max(this.now, now);
    const behind = wanted - (this.value + passed);
    let next = wanted;
    if (this.isStarted && Math.abs(behind) <= this.farOff) {
      const change = behind * Math.min((passed * this.tickLength) / settleTime, 1);
      const most = passed * this.speedChangeMax;
      next = this.value + passed + Math.max(-most, Math.min(most, change));
    }
    this.isStarted = true;
    this.value = Math.max(this.value, Math.min(next, limit));
    return this.value;
  }
}
