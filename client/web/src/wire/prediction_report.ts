// Report of a client's prediction, for operators to see. schema/wire.fbs declares it.
import * as flat from "../core/flat_writer.js";

/** Bound of each count and distance of a report. */
export const reportedMax = 2 ** 24;

const messageKind = 17;

/** Counts of a client's prediction since its last report. */
export interface PredictionReport {
  readonly ticks: number; // computed for the first time
  readonly ticksReplayed: number;
  readonly rollbacks: number;
  readonly lateMispredictions: number; // explained by late commands
  readonly remoteMispredictions: number;
  readonly stalls: number;
  readonly corrections: number; // rollbacks that moved a position
  readonly correctionsMm: number; // sum of the distances
  readonly greatestCorrectionMm: number; // the greatest of them
  readonly inputDelay: number; // at present, in 1/16 ticks
  readonly levelMispredictions: number; // where a step read another level than the server's
}

export function encodePredictionReport(report: PredictionReport): Uint8Array {
  return flat.flatMessage([
    flat.u8(messageKind),
    flat.table([
      flat.u32(report.ticks),
      flat.u32(report.ticksReplayed),
      flat.u32(report.rollbacks),
      flat.u32(report.lateMispredictions),
      flat.u32(report.remoteMispredictions),
      flat.u32(report.stalls),
      flat.u32(report.corrections),
      flat.u32(report.correctionsMm),
      flat.u32(report.greatestCorrectionMm),
      flat.u16(report.inputDelay),
      flat.u32(report.levelMispredictions),
    ]),
  ]);
}
