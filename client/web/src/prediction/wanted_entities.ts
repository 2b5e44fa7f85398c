// The entities that a client wants predicted: its own, those that its commands have spawned, and those that the program has
// chosen. The list is bounded. A chosen entity that has ended is forgotten. One that is out of view stays chosen.
import type { Mirror } from "../mirror/mirror.js";
import type { EntityRef } from "./predicted_set.js";

/**
 * Most chosen entities that the mirror does not have. It does not know whether they have ended. The ones that were chosen
 * last stay.
 */
export const absentMax = 4096;

const isSame = (a: EntityRef, b: EntityRef): boolean => a.index === b.index && a.generation === b.generation;

/** Returns whether the mirror knows that an entity has ended: it was destroyed, or a later one has its index. */
function hasEnded({ world, state }: Mirror, { index, generation }: EntityRef): boolean {
  if (world.generationAt(index) > generation) return true;
  const former = state.known[state.former.get(index) ?? -1];
  if (former === undefined) return false;
  return former.formerGeneration === generation ? former.destroyed : former.formerGeneration > generation;
}

export class WantedEntities {
  private chosenOnes: EntityRef[] = []; // in the order of choice
  private chosenOf = 0; // number of the mirror that they are of
  private spawned: EntityRef[] = [];

  /** Chooses an entity of a mirror, or ceases to. Those of another mirror are forgotten. */
  choose(entity: EntityRef, isPredicted: boolean, mirrorNumber: number): void {
    if (this.chosenOf !== mirrorNumber) this.chosenOnes = [];
    this.chosenOf = mirrorNumber;
    const isOther = (each: EntityRef): boolean => !isSame(each, entity);
    this.chosenOnes = this.chosenOnes.filter(isOther);
    this.spawned = this.spawned.filter(isOther);
    if (isPredicted) this.chosenOnes.push(entity);
  }

  /** Forgets what does not belong to this mirror. */
  beginMirror(mirrorNumber: number): void {
    if (this.chosenOf !== mirrorNumber) this.chosenOnes = [];
    this.spawned = [];
  }

  /** Adds an entity that the server has spawned for a command. */
  addSpawned(entity: EntityRef): void {
    if (!this.spawned.some((each) => isSame(each, entity))) this.spawned.push(entity);
  }

  /**
   * Fills `wanted` in the order of precedence: `own`, unless it is null, spawned ones, chosen ones. Forgets those that have
   * ended.
   */
  list(mirror: Mirror, own: EntityRef | null, wanted: EntityRef[]): void {
    this.forgetEnded(mirror);
    wanted.length = 0;
    if (own !== null) wanted.push(own);
    for (const list of [this.spawned, this.chosenOnes])
      for (const each of list) if (own === null || !isSame(each, own)) wanted.push(each);
  }

  /** Number of chosen entities. */
  get chosen(): number {
    return this.chosenOnes.length;
  }

  private forgetEnded(mirror: Mirror): void {
    const { world } = mirror;
    if (this.spawned.length > 0)
      this.spawned = this.spawned.filter(({ index, generation }) => world.has(index, generation));
    let absent = 0;
    let kept = this.chosenOnes.length;
    for (let i = this.chosenOnes.length; i-- > 0;) {
      const each = this.chosenOnes[i]!;
      const isHere = world.has(each.index, each.generation);
      if (isHere || (!hasEnded(mirror, each) && ++absent <= absentMax)) this.chosenOnes[--kept] = each;
    }
    if (kept > 0) this.chosenOnes.splice(0, kept);
  }
}
