// Sums of prediction since the page was opened. Figures of the client begin anew with each session and each restart.
import type { PredictionFigures } from "../session/timeline.js";

const counted = ["rollbacks", "ticksReplayed", "late", "remote", "level", "corrections"] as const;
type Counted = (typeof counted)[number];

export class PredictionTotals {
  readonly sums: Record<Counted, number> = { rollbacks: 0, ticksReplayed: 0, late: 0, remote: 0, level: 0, corrections: 0 };
  private readonly last: Record<Counted, number> = { ...this.sums };

  /** Adds what is new in these figures. */
  add(figures: PredictionFigures): void {
    for (const name of counted) {
      const value = figures[name];
      this.sums[name] += value < this.last[name] ? value : value - this.last[name];
      this.last[name] = value;
    }
  }
}
