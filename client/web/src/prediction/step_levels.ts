// The level that the step of each computed tick has read. A tick is computed again once its step would read another one.
import type { OfferedLevels } from "../connection/offered_levels.js";
import type { LevelFile, LevelStatic } from "../resource/level_file.js";
import { never } from "./command_timeline.js";

interface Use {
  tick: number;
  level: LevelFile | null;
  isRead: boolean;
}

const noStatics: readonly LevelStatic[] = [];

export class StepLevels {
  private readonly uses: Use[];
  private current: Use;

  /** Keeps the levels of the last `ticks` ticks. */
  constructor(
    private readonly offered: OfferedLevels,
    ticks: number,
  ) {
    this.uses = Array.from({ length: ticks }, () => ({ tick: 0, level: null, isRead: false }));
    this.current = this.uses[0]!;
  }

  private at(tick: number): Use {
    return this.uses[tick % this.uses.length]!;
  }

  /** Begins the step of a tick. */
  begin(tick: number): void {
    this.current = Object.assign(this.at(tick), { tick, level: this.offered.at(tick), isRead: false });
  }

  /** Returns the statics of the level that the step reads. */
  read(): readonly LevelStatic[] {
    this.current.isRead = true;
    return this.current.level?.statics ?? noStatics;
  }

  /**
   * Returns the first tick after `after` and up to `last` whose step has read another level than it would now; `never` if
   * there is none.
   */
  firstWrong(after: number, last: number): number {
    return this.find(after, last, ({ tick, level }) => level !== this.offered.at(tick));
  }

  /** Returns whether a step of these ticks has read a level in place of one that the client lacks. */
  lacksOne(after: number, last: number): boolean {
    return this.find(after, last, ({ tick }) => !this.offered.isHere(tick)) !== never;
  }

  /** Returns the first of these ticks whose step has read a level that matches; `never` if there is none. */
  private find(after: number, last: number, matches: (use: Use) => boolean): number {
    for (let tick = after + 1; tick <= last; ++tick) {
      const use = this.at(tick);
      if (use.tick === tick && use.isRead && matches(use)) return tick;
    }
    return never;
  }
}
