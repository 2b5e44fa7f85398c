// How far a prediction runs ahead. A command is given for the clock's target tick, at which it arrives in time. The
// prediction is `delay` ticks behind the target, so a command takes effect that much later, and fewer ticks are
// predicted.
//
//   newest complete      predicted        target of commands
//   ------o------------------o------------------o-------->  ticks
//         | at most predictedMax |    delay     |
//
// The delay rises at once to the clock's margin, which grows with jitter, and to what keeps the predicted ticks within
// their limit. It falls when less has sufficed for two seconds. The predicted moment changes its speed by a tenth while
// the delay changes. At the limit of predicted ticks it stands still: the prediction stalls. The time of a stall is no
// input delay.
import { clamp } from "../core/integers.js";

/** Limits of the input delay, in ticks. */
export interface InputDelayLimits {
  readonly least: number;
  readonly most: number;
  /** Most ticks between the newest complete one and the predicted one. */
  readonly predictedMax: number;
}

const speedChange = 0.1;
// A distance that is further off than this is not corrected smoothly: it comes from a pause.
const farOffTicks = 8;
const leadGrowth = 0.25;
const leadDecay = 1 / 128;
const holdSeconds = 2;
// The greatest moment before a tick, in fractions that a double of any tick can hold.
const justBefore = 1 / 1024;

export class InputDelay {
  /** Distance between the predicted moment and the target, in ticks. A stall increases it. */
  distance = 0;
  /** How many times the prediction has stalled. */
  stalls = 0;
  isStalled = false;
  /** The delay that is aimed at, in ticks. */
  ticks: number;
  private readonly holdTicks: number;
  private lead = 0; // bound for nearly all distances of the target from the newest complete tick
  private enoughFor = 0; // ticks for which a smaller delay has sufficed
  private enough = 0; // greatest delay wanted during that time
  private target = 0;
  private isStarted = false;

  constructor(
    private readonly limits: InputDelayLimits,
    ticksPerSecond: number,
  ) {
    this.holdTicks = holdSeconds * ticksPerSecond;
    this.ticks = limits.least;
  }

  /** Notes that a tick has become complete, the next one after `before`. */
  onComplete(before: number): void {
    const lead = this.target - before;
    this.lead += (lead - this.lead) * (lead > this.lead ? leadGrowth : leadDecay);
  }

  /** The delay at present, in ticks: the distance, within the limits. */
  get present(): number {
    const { least, most } = this.limits;
    return clamp(this.distance, least, Math.max(least, most));
  }

  private wanted(margin: number): number {
    const { least, most, predictedMax } = this.limits;
    const beyond = Math.ceil(this.lead - predictedMax);
    return clamp(Math.max(Math.round(margin), beyond), least, Math.max(least, most));
  }

  private choose(wanted: number, passed: number): void {
    if (wanted < this.ticks) {
      this.enough = Math.max(this.enough, wanted);
      this.enoughFor += passed;
      if (this.enoughFor < this.holdTicks) return;
      this.ticks = this.enough;
    } else {
      this.ticks = wanted;
    }
    this.enough = 0;
    this.enoughFor = 0;
  }

  /** Returns the predicted moment for a target that never decreases. `complete` is the newest complete tick. */
  advance(target: number, margin: number, complete: number): number {
    const passed = this.isStarted ? Math.max(target - this.target, 0) : 0;
    const before = this.target - this.distance;
    this.choose(this.wanted(margin), passed);
    const off = this.ticks - this.distance;
    const isFar = !this.isStarted || Math.abs(off) > farOffTicks || passed > farOffTicks;
    if (isFar) this.distance = this.ticks;
    else this.distance += clamp(off, -passed * speedChange, passed * speedChange);
    this.isStarted = true;
    this.target = target;
    const end = complete + this.limits.predictedMax + 1; // exclusive
    const isLimited = target - this.distance >= end;
    if (isLimited) this.distance = target - Math.max(end - justBefore, before);
    // A target that stands still, as of a silent server, does not end a stall.
    const isStalled = isLimited || (this.isStalled && target - this.distance >= end - 2 * justBefore);
    if (isStalled && !this.isStalled) ++this.stalls;
    this.isStalled = isStalled;
    return Math.max(target - this.distance, complete);
  }
}
