// Decides from the times of frames when the picture must be plainer.

const judgedTime = 2000; // ms of frames that are judged together
const frameMax = 1000; // ms that one frame counts at most: a longer one may be a pause of the machine
const slowFrame = 45; // ms
const verySlowFrame = 200; // ms

/** "plainer" asks for the next quality, "plainest" for the last one. */
export type Verdict = "fine" | "plainer" | "plainest";

export class FrameJudge {
  private last: number | null = null;
  private time = 0; // ms
  private frames = 0;
  private longest = 0; // ms

  /** Begins anew. The time until the next frame does not count. */
  restart(): void {
    this.last = null;
    this.time = this.frames = this.longest = 0;
  }

  /** Notes a frame, and returns the verdict of about two seconds with their last frame. */
  judge(now: number): Verdict {
    const took = this.last === null ? 0 : Math.min(now - this.last, frameMax);
    this.last = now;
    if (took === 0) return "fine";
    this.time += took;
    this.longest = Math.max(this.longest, took);
    if (++this.frames < 2 || this.time < judgedTime) return "fine";
    return this.conclude();
  }

  /** The longest frame does not count: one pause makes no machine slow. */
  private conclude(): Verdict {
    const mean = (this.time - this.longest) / (this.frames - 1);
    this.time = this.frames = this.longest = 0;
    return mean > verySlowFrame ? "plainest" : mean > slowFrame ? "plainer" : "fine";
  }
}
