// Which deltas have arrived, and what the server knows of that.
import { type DeltaHeader, type KnownNumbers, flag } from "../wire/delta_header.js";
import { receivedMax } from "../wire/input.js";
import { Arrivals } from "./command_log.js";

/** A delta this far behind the newest is not accepted any more. */
const lateMax = 32;
const acknowledgementsKept = 1024;

export class DeltaProgress {
  ack = 0; // number of the newest acknowledgement
  newest = 0; // sequence of the newest delta
  tick = 0; // that of the newest delta
  /** 1 for each delta that was received, by its distance from the newest. */
  readonly received = new Uint8Array(receivedMax);
  readonly arrivals = new Arrivals();
  hasNews = false;
  /** Whether the mirror holds everything that the server had to send when it sent the newest delta. */
  isComplete = false;
  private serverComplete = false; // by the newest delta nothing else waits to be sent
  private longSequence = 0;
  private acknowledged = 0; // newest acknowledgement that the server has
  private readonly newestAt = new Uint32Array(acknowledgementsKept); // by acknowledgement: the newest delta it covers

  known(): KnownNumbers {
    return { sequence: this.newest, tick: this.tick, ack: this.ack, longSequence: this.longSequence };
  }

  isNew(sequence: number): boolean {
    if (sequence > this.newest) return true;
    const age = this.newest - sequence;
    return age < lateMax && this.received[age] === 0;
  }

  onAcknowledged(ack: number): void {
    this.acknowledged = Math.max(this.acknowledged, ack);
  }

  /** Notes a new delta as received. Returns how many older ones are given up because of it. */
  onReceived(header: DeltaHeader): number {
    let givenUp = 0;
    if (header.sequence < this.newest) {
      this.received[this.newest - header.sequence] = 1;
    } else {
      const steps = header.sequence - this.newest;
      givenUp = this.countGivenUp(steps);
      this.received.copyWithin(Math.min(steps, receivedMax), 0);
      this.received.fill(0, 0, Math.min(steps, receivedMax));
      this.received[0] = 1;
      this.newest = header.sequence;
      this.serverComplete = (header.flags & flag.complete) !== 0;
    }
    this.hasNews = true;
    this.arrivals.add(header.sequence);
    this.tick = Math.max(this.tick, header.tick);
    if ((header.flags & flag.long) !== 0) this.longSequence = Math.max(this.longSequence, header.sequence);
    this.isComplete = this.serverComplete && this.isNoneMissing();
    return givenUp;
  }

  private countGivenUp(steps: number): number {
    let count = Math.max(steps - lateMax, 0);
    for (let age = lateMax - Math.min(steps, lateMax); age < lateMax; ++age)
      if (age < this.newest && this.received[age] === 0) ++count;
    return count;
  }

  /** Considers the deltas whose fate the server did not know when it sent the newest. */
  private isNoneMissing(): boolean {
    const open = this.newest - this.newestAcknowledged();
    return open <= receivedMax && !this.received.subarray(0, open).includes(0);
  }

  private newestAcknowledged(): number {
    const isKept = this.ack - this.acknowledged < acknowledgementsKept;
    return isKept ? this.newestAt[this.acknowledged % acknowledgementsKept]! : 0;
  }

  /** Makes the next acknowledgement. Returns the number of words that it takes. */
  acknowledge(): number {
    ++this.ack;
    this.hasNews = false;
    // The server knows whether deltas further back were received.
    const open = Math.min(this.newest - this.newestAcknowledged() + lateMax, receivedMax);
    this.newestAt[this.ack % acknowledgementsKept] = this.newest;
    return Math.max(1, Math.ceil(open / 64));
  }
}
