// Estimates of the path: round trip and its variation, and the part of bodies that is lost.

const gain = 1 / 8;
const variationGain = 1 / 4;

export class Link {
  /** In ms; 0 until measured. */
  rtt = 0;
  variation = 0;
  sent = 0;
  lost = 0;

  onAcked(rtt: number): void {
    if (this.rtt === 0) {
      this.rtt = rtt;
      this.variation = rtt / 2;
      return;
    }
    this.variation += (Math.abs(rtt - this.rtt) - this.variation) * variationGain;
    this.rtt += (rtt - this.rtt) * gain;
  }

  /** Returns how long an acknowledgement may take before a body counts as lost. */
  patience(): number {
    return this.rtt === 0 ? 500 : Math.min(this.rtt + 4 * this.variation + 100, 5000);
  }
}
