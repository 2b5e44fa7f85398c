// Levels that the server has offered, by the first tick whose step of the rules reads them.
//
//   level of the server    A o---------------o B from its first tick on ---------->  ticks
//   level of a step        A                 A while the client lacks B, else B
import { equalBytes } from "../core/bytes.js";
import type { LevelFile } from "../resource/level_file.js";
import type { ResourceInfo } from "../wire/messages.js";

/** Number of offers that are kept. Steps of earlier ticks read the oldest one. */
const offersMax = 4;

export interface LevelOffer {
  readonly firstTick: number;
  /** Null if the world has no level. */
  readonly identity: Uint8Array | null;
  /** Null while the client lacks it. */
  level: LevelFile | null;
}

const isOf = (offer: LevelOffer, identity: Uint8Array): boolean =>
  offer.identity !== null && equalBytes(offer.identity, identity);

const isHere = (offer: LevelOffer): boolean => offer.identity === null || offer.level !== null;

export class OfferedLevels {
  private kept: LevelOffer[] = [];

  /** Offers that are kept, ascending by first tick. */
  get offers(): readonly LevelOffer[] {
    return this.kept;
  }

  /** Adds an offer. The level is its first resource. Replaces offers of the same first tick and of later ones. */
  add([level]: readonly ResourceInfo[]): void {
    const identity = level?.identity ?? null;
    const firstTick = level?.firstTick ?? 0;
    const known = identity === null ? undefined : this.kept.find((each) => isOf(each, identity));
    this.kept = this.kept.filter((each) => each.firstTick < firstTick).slice(1 - offersMax);
    this.kept.push({ firstTick, identity, level: known?.level ?? null });
  }

  /** Notes that the client has a level. */
  onStored(level: LevelFile): void {
    for (const offer of this.kept) if (isOf(offer, level.identity)) offer.level = level;
  }

  clear(): void {
    this.kept = [];
  }

  /** Returns the level that the step of a tick reads: the server's or, while the client lacks it, the one before. */
  at(tick: number): LevelFile | null {
    let place = this.placeOf(tick);
    while (place > 0 && !isHere(this.kept[place]!)) --place;
    return this.kept[place]?.level ?? null;
  }

  /** Returns whether the client has the level that the server reads in a tick. */
  isHere(tick: number): boolean {
    const offer = this.kept[this.placeOf(tick)];
    return offer === undefined || isHere(offer);
  }

  /** Returns the place of the offer that counts in a tick. */
  private placeOf(tick: number): number {
    let place = this.kept.length - 1;
    while (place > 0 && this.kept[place]!.firstTick > tick) --place;
    return place;
  }
}
