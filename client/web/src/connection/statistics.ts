// Counts of a connection.

export interface Statistics {
  deltas: number;
  /** Deltas that arrived after a newer one. */
  lateDeltas: number;
  /** Deltas that never arrived, or too late to be of use. */
  lostDeltas: number;
  /** Deltas that could not be decoded, because the mirror was wrong. */
  unreadableDeltas: number;
  /** Deltas with another tick than the one before. */
  ticks: number;
  verifiedTicks: number;
  mismatchedTicks: number;
  corrections: number;
  events: number;
  refusedCommands: number;
  rejoins: number;
  bytesReceived: number;
  bytesSent: number;
}

export function noStatistics(): Statistics {
  return {
    deltas: 0,
    lateDeltas: 0,
    lostDeltas: 0,
    unreadableDeltas: 0,
    ticks: 0,
    verifiedTicks: 0,
    mismatchedTicks: 0,
    corrections: 0,
    events: 0,
    refusedCommands: 0,
    rejoins: 0,
    bytesReceived: 0,
    bytesSent: 0,
  };
}

/** Adds the counts of a former connection. */
export function addStatistics(statistics: Statistics, former: Readonly<Statistics>): void {
  for (const name of Object.keys(former) as (keyof Statistics)[]) statistics[name] += former[name];
}
