// Time that the page's own code takes per frame.

const kept = 1024;

export class FrameTimes {
  private readonly times = new Float32Array(kept);
  count = 0;

  note(ms: number): void {
    this.times[this.count++ % kept] = ms;
  }

  /** Returns the time that this part of the last 1,024 frames did not exceed, in ms. */
  percentile(part: number): number {
    const sorted = this.times.slice(0, Math.min(this.count, kept)).sort();
    return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  }

  clear(): void {
    this.count = 0;
  }
}
