// Reports to the server what a prediction has counted, so that operators see how it fares.
import type { Connection } from "../connection/connection.js";
import { type PredictionReport, encodePredictionReport, reportedMax } from "../wire/prediction_report.js";
import type { PredictionStatistics } from "./prediction_config.js";

const interval = 1000; // ms
const millimetres = 1000;
const inputDelayParts = 16;
const inputDelayMax = 65_535;

/** Counts as of a report. */
type Counts = Omit<PredictionReport, "greatestCorrectionMm" | "inputDelay" | "correctionsMm"> & { metres: number };

function countsOf(statistics: PredictionStatistics): Counts {
  const { ticks, ticksReplayed, rollbacks, mispredictions, stalls, corrections, correctionMetres } = statistics;
  return {
    ticks,
    ticksReplayed,
    rollbacks,
    lateMispredictions: mispredictions.late,
    remoteMispredictions: mispredictions.remote,
    levelMispredictions: mispredictions.level,
    stalls,
    corrections,
    metres: correctionMetres.sum,
  };
}

/** Rounds; what is no number counts as 0. */
const rounded = (value: number, most: number): number => (value > 0 ? Math.floor(Math.min(value + 0.5, most)) : 0);

/** Returns the counts between two states of the statistics. Larger ones than a report can have are reduced. */
function reportOf(before: Counts, now: Counts, greatest: number, inputDelay: number): PredictionReport {
  const since = (name: keyof Counts): number => Math.min(now[name] - before[name], reportedMax);
  return {
    ticks: since("ticks"),
    ticksReplayed: since("ticksReplayed"),
    rollbacks: since("rollbacks"),
    lateMispredictions: since("lateMispredictions"),
    remoteMispredictions: since("remoteMispredictions"),
    levelMispredictions: since("levelMispredictions"),
    stalls: since("stalls"),
    corrections: since("corrections"),
    correctionsMm: rounded((now.metres - before.metres) * millimetres, reportedMax),
    greatestCorrectionMm: rounded(greatest * millimetres, reportedMax),
    inputDelay: rounded(inputDelay * inputDelayParts, inputDelayMax),
  };
}

export class PredictionReporter {
  private reported: Counts = {
    ticks: 0,
    ticksReplayed: 0,
    rollbacks: 0,
    lateMispredictions: 0,
    remoteMispredictions: 0,
    levelMispredictions: 0,
    stalls: 0,
    corrections: 0,
    metres: 0,
  };
  private noted = 0; // corrections
  private greatest = 0; // correction since the last report
  private nextReport = 0; // not before

  /** Sends what was counted since the last report, at most once per second. Called once per update of the prediction. */
  update(statistics: PredictionStatistics, connection: Connection, now: number): void {
    if (this.noted !== statistics.corrections)
      this.greatest = Math.max(this.greatest, statistics.correctionMetres.last);
    this.noted = statistics.corrections;
    if (now < this.nextReport) return;
    const counts = countsOf(statistics);
    const hasNews = (Object.keys(counts) as (keyof Counts)[]).some((name) => counts[name] !== this.reported[name]);
    if (!hasNews) return;
    const report = reportOf(this.reported, counts, this.greatest, statistics.inputDelayTicks);
    if (!connection.sendReport(encodePredictionReport(report))) return;
    this.nextReport = now + interval;
    this.reported = counts;
    this.greatest = 0;
  }
}
