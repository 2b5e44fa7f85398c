// Deltas of a player: reads them into the mirror, and has the mirror verified by their hashes.
import { Refusal } from "../core/refusal.js";
import type { Mirror } from "../mirror/mirror.js";
import { type DeltaHeader, readDeltaHeader } from "../wire/delta_header.js";
import type { CommandLog } from "./command_log.js";
import type { DeltaProgress } from "./delta_progress.js";
import type { ServerClock } from "./server_clock.js";
import type { Statistics } from "./statistics.js";
import { Verification } from "./verification.js";

export class DeltaReceiver {
  readonly verification = new Verification();

  constructor(
    private readonly clock: ServerClock,
    private readonly commands: CommandLog,
    private readonly progress: DeltaProgress,
    private readonly statistics: Statistics,
  ) {}

  /** Applies a delta, and gives the server's feedback to clock and commands. Throws a Refusal if it is malformed. */
  receive(bytes: Uint8Array, mirror: Mirror, now: number): void {
    const { progress, statistics } = this;
    const header = this.headerOf(bytes);
    if (header === null) return;
    this.clock.onDelta(header.tick, now);
    if (header.feedback !== null) {
      this.clock.onFeedback(header.feedback, now);
      this.commands.onFeedback(header.feedback);
    }
    progress.onAcknowledged(header.ack);
    const isLate = header.sequence < progress.newest;
    if (isLate) ++statistics.lateDeltas;
    if (!progress.isNew(header.sequence) || !this.apply(header, bytes, mirror, now)) return;
    if (!isLate) this.verification.onDecoded();
    if (header.tick > progress.tick) ++statistics.ticks;
    ++statistics.deltas;
    statistics.lostDeltas += progress.onReceived(header);
    this.verification.onDelta(mirror, header, now, statistics);
  }

  /** Returns null for a delta that is too late to be of use. */
  private headerOf(bytes: Uint8Array): DeltaHeader | null {
    try {
      return readDeltaHeader(bytes, this.progress.known());
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== "too late") throw error;
      ++this.statistics.lateDeltas;
      return null;
    }
  }

  /** Returns false for a delta that is treated as lost: it is never acknowledged. */
  private apply(header: DeltaHeader, bytes: Uint8Array, mirror: Mirror, now: number): boolean {
    try {
      mirror.apply(header, bytes);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.reason !== "too late" && !this.verification.skipUnreadable(header, now, this.statistics)) throw error;
      return false;
    }
  }
}
