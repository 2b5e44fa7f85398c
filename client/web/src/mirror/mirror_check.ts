// Reports what a mirror has when its hash is wrong, and compares what the server corrects.
import type { MessageOf, MirrorDifference, MirrorHash } from "../wire/messages.js";
import { encodeMirrorHashes } from "../wire/messages.js";
import { hex64 } from "../core/xxh3.js";
import { valueText } from "./value_text.js";
import type { Mirror } from "./mirror.js";
import type { Prototype } from "./world.js";

const hashesMax = 1024; // in a part
const partInterval = 250; // ms
const pause = 4000; // ms after a list
const differencesMax = 8;
const explainedMax = 64; // corrections of a list that are reported
const allPlaces = 0xffff_ffff;

interface Sent {
  readonly ofLevel: boolean;
  readonly hash: MirrorHash;
  readonly prototype: Prototype;
  readonly owner: boolean;
  readonly words: Uint32Array;
  isDone: boolean;
}

export class MirrorCheck {
  private isWanted = false;
  private isUnderWay = false;
  private ofLevel = false;
  private nextPlace = 0;
  private nextAt = 0;
  private explained = 0;
  private readonly sent = new Map<string, Sent>();

  /** Starts a list with the next part that is due. Does nothing while a list is being sent, or shortly after one. */
  suspect(now: number): void {
    if (!this.isUnderWay && now >= this.nextAt) this.isWanted = true;
  }

  /** Returns the next part of the list, if one is due. */
  next(mirror: Mirror, now: number): Uint8Array | null {
    if (now < this.nextAt) return null;
    if (this.isWanted) {
      this.isWanted = this.ofLevel = false;
      this.isUnderWay = true;
      this.nextPlace = this.explained = 0;
      this.sent.clear();
    }
    if (!this.isUnderWay) {
      this.sent.clear();
      return null;
    }
    const first = this.nextPlace;
    const { hashes, end } = this.ofLevel ? this.levelPart(mirror, first) : this.idPart(mirror, first);
    const part = encodeMirrorHashes(this.ofLevel, first, end, mirror.tick, hashes);
    this.finishPart(mirror, end, now);
    return part;
  }

  private finishPart(mirror: Mirror, end: number, now: number): void {
    this.nextPlace = end;
    this.nextAt = now + partInterval;
    if (end !== allPlaces) return;
    if (this.ofLevel || mirror.state.level === null) {
      this.isUnderWay = false;
      this.nextAt = now + pause;
    }
    this.ofLevel = true;
    this.nextPlace = 0;
  }

  private add(sent: Omit<Sent, "isDone">, hashes: MirrorHash[]): void {
    hashes.push(sent.hash);
    this.sent.set(`${sent.ofLevel}/${sent.hash.place}`, { ...sent, isDone: false });
  }

  private idPart(mirror: Mirror, first: number): { hashes: MirrorHash[]; end: number } {
    const hashes: MirrorHash[] = [];
    const { known: all } = mirror.state;
    let id = first;
    for (; id < all.length && hashes.length < hashesMax; ++id) {
      const { generation, lost, versions, index, hashLow, hashHigh, prototype, owner } = all[id]!;
      if (generation === 0 || lost) continue;
      const at = versions.wordsAt(versions.count - 1);
      const hash = { place: id, index, generation, tick: versions.newestTick(), hashLow, hashHigh };
      this.add(
        { ofLevel: false, hash, prototype, owner, words: versions.states.slice(at, at + versions.words) },
        hashes,
      );
    }
    return { hashes, end: id < all.length ? id : allPlaces };
  }

  private levelPart(mirror: Mirror, first: number): { hashes: MirrorHash[]; end: number } {
    const hashes: MirrorHash[] = [];
    const level = mirror.state.level!;
    const end = level.first + level.count;
    let index = Math.max(first, level.first);
    for (; index < end && hashes.length < hashesMax; ++index) {
      if (!level.isHere(index)) continue;
      const which = index - level.first;
      const prototype = level.prototypes[which]!;
      const at = level.begins[which]!;
      const hash = {
        place: index,
        index,
        generation: level.generation,
        tick: level.tick,
        hashLow: level.hashesLow[which]!,
        hashHigh: level.hashesHigh[which]!,
      };
      this.add(
        { ofLevel: true, hash, prototype, owner: false, words: level.words.slice(at, at + prototype.layout.words) },
        hashes,
      );
    }
    return { hashes, end: index < end ? index : allPlaces };
  }

  /** Handles a correction of the server. Returns what differed, for people to read. */
  onCorrection(mirror: Mirror, correction: MessageOf<"correction">): MirrorDifference[] {
    const { ofLevel, place, index, generation, tick, fault } = correction;
    const isExplained = ++this.explained <= explainedMax;
    const sent = this.sent.get(`${ofLevel}/${place}`);
    const isSame = sent?.hash.index === index && sent.hash.generation === generation && sent.hash.tick === tick;
    if (sent === undefined || sent.isDone || !isSame || fault === "missing") return [];
    sent.isDone = true;
    const of = (component: string, field: string, client: string, server: string): MirrorDifference => ({
      index,
      generation,
      component,
      field,
      client,
      server,
    });
    if (fault === "unknown") {
      const isDropped = mirror.drop(ofLevel, place, index, generation, tick);
      return isDropped && isExplained ? [of("entity", "exists", "true", "false")] : [];
    }
    return isExplained ? compare(sent, correction, of).slice(0, differencesMax) : [];
  }
}

function compare(
  sent: Sent,
  correction: MessageOf<"correction">,
  of: (component: string, field: string, client: string, server: string) => MirrorDifference,
): MirrorDifference[] {
  const { prototype, owner, words } = sent;
  const ours = hex64(prototype.hashLow, prototype.hashHigh);
  const theirs = hex64(correction.prototypeLow, correction.prototypeHigh);
  if (ours !== theirs) return [of("entity", "prototype", ours, theirs)];
  if (correction.words.length !== words.length) return [];
  if (owner !== correction.owner) return [of("entity", "owner", String(owner), String(correction.owner))];
  const differences: MirrorDifference[] = [];
  prototype.layout.rows.forEach(({ first }, i) => {
    const pool = prototype.pools[i]!;
    for (const { layout } of pool.columns) {
      const client = valueText(layout, owner, words, first);
      const server = valueText(layout, owner, correction.words, first);
      if (client !== server) differences.push(of(pool.name, layout.field.path, client, server));
    }
  });
  return differences;
}
