// Estimates, as continuous ticks: where the server is, for which tick to give commands, and which moment to show.
//
//       view          newest received      server                 target
//   ------o------------------|-----------------o----------------------o---->  ticks
//         | 1 tick + lateness of deltas |      | half RTT, 1 tick, margin |
import type { Link } from "../session/link.js";
import type { CommandFeedback } from "../wire/delta_header.js";
import { ArrivalLine } from "./arrival_line.js";
import { SlewedTick } from "./slewed_tick.js";

const movedOffMin = 250; // ms
const movedOffTicks = 4;
// A silence longer than this plus the usual lateness is not caused by the network.
const silenceTicksMax = 8;
const latenessTicksMax = 8;
const latenessTimeMax = 250; // ms
// Grows fast and shrinks slowly, so that it stays above nearly all.
const latenessGrowth = 0.25;
const latenessDecay = 1 / 128;
const meanGain = 1 / 32;
const rttWobble = 20; // ms
const rttMax = 2000;
const rttSpan = 2000;
const rttEstimates = 32;
const jitterMarginMax = 4;
const leadMin = -6;
const leadMax = 10;
const leadDecay = 1 / 64;
const lateOneIn = 50; // commands, of which at most one is late because the lead shrinks
const settledTicks = 2;
const settledTime = 40; // ms

export class ServerClock {
  private readonly line: ArrivalLine;
  private readonly target: SlewedTick;
  private readonly view: SlewedTick;
  private rtt = 0; // 0 until measured
  private variation = 0;
  private readonly floor = { before: 0, smallest: 0, began: 0, estimates: 0 };
  private newest = 0;
  private mean = 0; // lateness of deltas behind the line, in ticks
  private nearlyAll = 0; // bound for nearly all next deltas
  private settled = { mean: 0, nearlyAll: 0 };
  private lead = 0; // ticks that follow from the server's feedback
  private lastDone = 0;
  private leadSettles = 0; // until then feedback is about commands given with another lead

  constructor(private readonly tickLength: number) {
    const farOff = Math.max(movedOffTicks, movedOffMin / tickLength);
    this.line = new ArrivalLine(tickLength);
    this.target = new SlewedTick(tickLength, 0.1, farOff);
    this.view = new SlewedTick(tickLength, 0.05, farOff);
  }

  get isKnown(): boolean {
    return this.line.isKnown;
  }

  /** Notes the arrival of a delta of a tick, which the server sent at the end of that tick. */
  onDelta(tick: number, now: number): void {
    const isFirst = !this.line.isKnown;
    const limit = Math.max(latenessTicksMax, latenessTimeMax / this.tickLength);
    const moved = this.line.add(tick, now);
    if (moved) Object.assign(this, this.settled);
    const late = Math.min(this.line.at(now) - tick, limit);
    this.mean += (late - this.mean) * meanGain;
    if (!isFirst && tick > this.newest) {
      // The tick after the newest was due; after losses a later one arrived instead.
      const next = Math.max(0, Math.min(this.line.at(now) - (this.newest + 1), limit));
      this.nearlyAll += (next - this.nearlyAll) * (next > this.nearlyAll ? latenessGrowth : latenessDecay);
    }
    if (late < movedOffTicks && !moved) this.settled = { mean: this.mean, nearlyAll: this.nearlyAll };
    this.newest = isFirst ? tick : Math.max(this.newest, tick);
  }

  /** Updates the estimates of the path. */
  onLink(link: Link, now: number): void {
    if (link.rtt === 0) return;
    const { floor } = this;
    if (this.rtt === 0) Object.assign(floor, { before: link.rtt, smallest: link.rtt, began: now, estimates: 0 });
    if (now - floor.began >= rttSpan && floor.estimates >= rttEstimates)
      Object.assign(floor, { before: floor.smallest, smallest: link.rtt, began: now, estimates: 0 });
    floor.smallest = Math.min(floor.smallest, link.rtt);
    ++floor.estimates;
    const smallest = Math.min(floor.before, floor.smallest);
    this.rtt = Math.min(link.rtt, smallest * 1.25 + rttWobble, rttMax);
    this.variation = link.variation;
  }

  /** Late commands raise the lead at once. Early ones lower it only as fast as keeps late commands rare. */
  onFeedback({ done, margin }: CommandFeedback, now: number): void {
    if (done <= this.lastDone) return;
    this.lastDone = done;
    if (margin === 0 || now < this.leadSettles) return;
    if (margin > 0) {
      const surplus = Math.min(margin, 4) - 1;
      this.lead -= surplus * leadDecay + 1 / (lateOneIn * Math.max(this.rtt / this.tickLength, 1));
      this.lead = Math.max(this.lead, leadMin);
      return;
    }
    this.lead = Math.min(this.lead - Math.max(margin, -4) * 0.75, leadMax);
    this.leadSettles = now + this.rtt + 2 * this.tickLength;
  }

  /** Returns the ticks to the server, without its wait for the next flush, which is half a tick on average. */
  private oneWay(): number {
    return Math.max(this.rtt - this.tickLength / 2, 0) / this.tickLength / 2;
  }

  private headStart(): number {
    return Math.max(this.oneWay() - this.mean, 0);
  }

  /** Returns the tick from which on the line is not followed: the server may have stopped. */
  private silentFrom(): number {
    return this.newest + this.nearlyAll + silenceTicksMax;
  }

  /** Returns the tick of the server; 0 until the first delta. */
  serverTick(now: number): number {
    return this.isKnown ? Math.min(this.line.at(now), this.silentFrom()) + this.headStart() : 0;
  }

  /** Returns the ticks by which the target is further ahead than the path alone requires. */
  margin(): number {
    return Math.min(this.variation / this.tickLength, jitterMarginMax) + this.lead;
  }

  /** Returns the tick for commands given now: one for its whole part arrives in time, but not much earlier. */
  targetTick(now: number): number {
    if (!this.isKnown) return 0;
    const ahead = this.oneWay() + 1 + this.margin();
    const wanted = this.serverTick(now) + ahead;
    const target = this.target.follow(wanted, this.silentFrom() + this.headStart() + ahead, now);
    if (Math.abs(target - wanted) > Math.max(settledTicks, settledTime / this.tickLength))
      this.leadSettles = Math.max(this.leadSettles, now + this.rtt + 2 * this.tickLength);
    return target;
  }

  /** Returns the moment to show now, at most the newest received tick; 0 until the first delta. */
  viewTick(now: number): number {
    if (!this.isKnown) return 0;
    return this.view.follow(this.line.at(now) - (1 + this.nearlyAll), this.newest, now);
  }
}
