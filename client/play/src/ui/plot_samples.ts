// Samples of the plot: round trip, corrections and rollbacks of the last 12 seconds, however seldom a frame is drawn.

export const samples = 240;
export const sampleTime = 50; // ms

export class PlotSamples {
  private readonly rtt = new Float32Array(samples);
  private readonly correction = new Float32Array(samples);
  private readonly rollbacks = new Uint8Array(samples);
  private newest = 0; // number of the newest sample since the page's begin

  /** Notes what has happened since the last call. The round trip is in ms, the correction in cm. */
  note(now: number, rtt: number, correction: number, rollbacks: number): void {
    this.advance(Math.floor(now / sampleTime));
    const at = this.newest % samples;
    this.rtt[at] = rtt;
    this.correction[at] = Math.max(this.correction[at]!, correction);
    this.rollbacks[at] = Math.min(255, this.rollbacks[at]! + rollbacks);
  }

  /** Samples between two calls have the former round trip, and no corrections. */
  private advance(to: number): void {
    const rtt = this.rtt[this.newest % samples]!;
    const last = this.newest;
    this.newest = Math.max(last, to);
    for (let sample = Math.max(last + 1, this.newest - samples + 1); sample <= this.newest; ++sample) {
      const at = sample % samples;
      this.rtt[at] = rtt;
      this.correction[at] = this.rollbacks[at] = 0;
    }
  }

  /** Returns a sample: 0 is the oldest, the last is the newest. */
  at(place: number): { readonly rtt: number; readonly correction: number; readonly rollbacks: number } {
    const at = (this.newest + 1 + place) % samples;
    return { rtt: this.rtt[at]!, correction: this.correction[at]!, rollbacks: this.rollbacks[at]! };
  }
}
