// Compares the hashes of deltas with those of the mirror, and has what is wrong corrected.
import { MirrorCheck } from "../mirror/mirror_check.js";
import type { Mirror } from "../mirror/mirror.js";
import { type DeltaHeader, flag } from "../wire/delta_header.js";
import type { Statistics } from "./statistics.js";

/** Within this time the server has sent again what the mirror has wrong. */
const unreadableMax = 10_000; // ms

export class Verification {
  readonly check = new MirrorCheck();
  private lastVerified = 0;
  private unreadableSince = -1;

  onDecoded(): void {
    this.unreadableSince = -1;
  }

  onDelta(mirror: Mirror, header: DeltaHeader, now: number, statistics: Statistics): void {
    const isSame = mirror.verify(header);
    if (isSame === null || header.ack <= this.lastVerified) return;
    this.lastVerified = header.ack;
    if (isSame) {
      ++statistics.verifiedTicks;
      return;
    }
    ++statistics.mismatchedTicks;
    this.check.suspect(now);
  }

  /** Returns whether a delta that cannot be decoded may be skipped as if it was lost, because the mirror is wrong. */
  skipUnreadable(header: DeltaHeader, now: number, statistics: Statistics): boolean {
    if ((header.flags & flag.hash) === 0 || header.ack === 0) return false;
    if (this.unreadableSince < 0) this.unreadableSince = now;
    if (now - this.unreadableSince > unreadableMax) return false;
    ++statistics.unreadableDeltas;
    this.check.suspect(now);
    return true;
  }
}
