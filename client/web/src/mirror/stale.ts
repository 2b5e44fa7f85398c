// Entities that went out of view, the oldest first, and the courses that some of them continue.
import { courseAge, courseAgeMax, isUnderWay } from "../wire/course.js";
import type { Changes } from "./changes.js";
import type { Prototype } from "./world.js";

const staleMax = 64;
/** Most ticks after the loss in which courses are followed: the entity may have been destroyed unseen. */
const followedTicks = 256;

interface Stale {
  readonly index: number;
  readonly generation: number;
  /** Words of the newest state; null if no course goes on. */
  words: Uint32Array | null;
  readonly prototype: Prototype;
  readonly end: number; // last tick in which courses are followed
}

export class StaleEntities {
  private readonly entities = new Map<number, Stale>(); // by index, in the order of their loss

  has(index: number, generation: number): boolean {
    return this.entities.get(index)?.generation === generation;
  }

  erase(index: number): void {
    this.entities.delete(index);
  }

  /** Returns the entity to forget before another one is added; -1 if there is room. */
  oldestTooMany(): number {
    return this.entities.size < staleMax ? -1 : (this.entities.keys().next().value as number);
  }

  /** Adds an entity. `words` are those of its newest state if its courses continue. */
  add(index: number, generation: number, prototype: Prototype, words: Uint32Array | null, lost: number): void {
    this.entities.set(index, { index, generation, prototype, words, end: Math.min(lost + followedTicks, 0xffff_ffff) });
  }

  /** Moves the courses that are under way to a tick. */
  follow(tick: number, changes: Changes): void {
    for (const stale of this.entities.values()) {
      if (stale.words === null) continue;
      const { pools, layout } = stale.prototype;
      const at = Math.min(tick, stale.end);
      let goesOn = false;
      layout.rows.forEach(({ layout: row, first }, i) => {
        const courses = row.courses.filter((course) => isUnderWay(course, stale.words!, first));
        if (courses.length === 0) return;
        const pool = pools[i]!;
        const place = pool.find(stale.index);
        pool.followCourses(place, false, stale.words!, first, at);
        changes.addChanged(pool, place, stale.index, stale.generation);
        goesOn ||= courses.some(
          (course) => courseAge(course, stale.words!, first, tick) < (course.turns ? followedTicks : courseAgeMax),
        );
      });
      if (!goesOn || tick >= stale.end) stale.words = null;
    }
  }
}
