// Levels that a client has, and the one that it receives.
import { equalBytes, toHex } from "../core/bytes.js";
import { Refusal, refuse } from "../core/refusal.js";
import { type IsOver, type Work, advance, finish } from "../core/work.js";
import { makeLevel } from "../mirror/level.js";
import type { Mirror } from "../mirror/mirror.js";
import { type LevelFile, fileBytesMax, levelFileWork } from "../resource/level_file.js";
import { type MessageOf, type ResourceInfo, encodeResourceRequest } from "../wire/messages.js";
import { OfferedLevels } from "./offered_levels.js";

const filesMax = 16;

/**
 * Levels in memory, the one used last at the end. Several connections may share one. It has at most 16 levels of 256 MiB
 * in total, because servers could offer ever new ones: the least recently used ones are dropped.
 */
export class LevelStore {
  private readonly files: LevelFile[] = [];
  /** Called by update() with the bytes of each level that was received, to keep them elsewhere. */
  onReceived: ((bytes: Uint8Array) => void) | null = null;

  constructor(private readonly bytesMax = fileBytesMax) {}

  /** Adds the bytes of a level that were kept elsewhere. Throws a Refusal if they are damaged. */
  add(bytes: Uint8Array): void {
    finish(this.addWork(bytes));
  }

  /** Adds a level in slices, as add() does at once. */
  *addWork(bytes: Uint8Array): Work<LevelFile> {
    const file = yield* levelFileWork(bytes);
    if (this.find(file.identity) !== null) return file;
    this.files.push(file);
    let total = this.files.reduce((sum, each) => sum + each.bytes.length, 0);
    while (this.files.length > filesMax || total > this.bytesMax) total -= this.files.shift()!.bytes.length;
    return file;
  }

  find(identity: Uint8Array): LevelFile | null {
    const place = this.files.findIndex((file) => equalBytes(file.identity, identity));
    if (place < 0) return null;
    const [file] = this.files.splice(place, 1);
    this.files.push(file!);
    return file!;
  }

  /** Loads a level into a mirror. It is here so that programs without levels need no code for them. */
  *load(mirror: Mirror, file: LevelFile, message: MessageOf<"level">): Work<Mirror> {
    return yield* mirror.loadLevel(yield* makeLevel(mirror.world, file, message), message.present);
  }

  all(): readonly LevelFile[] {
    return [...this.files];
  }
}

/** Most bytes of former requests that are skipped: more than servers have waiting for a client. */
const skippedBytesMax = 4 * 2 ** 20;

/** Requests the offered resources of a connection, one after the other. */
export class ResourceFetch {
  private offered: ResourceInfo[] = [];
  private current: { readonly info: ResourceInfo; readonly bytes: Uint8Array; received: number; skipped: number } | null =
    null;
  private readonly requested = new Set<string>();
  private reading: { readonly bytes: Uint8Array; readonly work: Work<LevelFile> }[] = [];
  private received: Uint8Array[] = []; // to be handed out
  readonly levels = new OfferedLevels();
  /** Levels that the session's Hello named. They stay, even if the store drops them. */
  announced: readonly LevelFile[] = [];

  constructor(private readonly store: LevelStore | null) {}

  announce(): readonly LevelFile[] {
    return (this.announced = this.store?.all() ?? []);
  }

  /** The reception of a resource that is no longer offered ends. */
  onOffered(offered: readonly ResourceInfo[]): void {
    this.levels.add(offered);
    const isCurrent = ({ identity }: ResourceInfo): boolean =>
      this.current !== null && equalBytes(identity, this.current.info.identity);
    if (!offered.some(isCurrent)) this.current = null;
    this.offered = offered.filter((each) => !isCurrent(each));
  }

  /** Returns the request for the next resource that is missing; null without one. */
  nextRequest(): Uint8Array | null {
    while (this.store !== null && this.current === null) {
      const info = this.offered.pop();
      if (info === undefined) return null;
      const found = this.store.find(info.identity);
      if (found !== null) this.levels.onStored(found);
      if (found !== null || info.size > fileBytesMax) continue;
      this.current = { info, bytes: new Uint8Array(info.size), received: 0, skipped: 0 };
      this.requested.add(toHex(info.identity));
      return encodeResourceRequest(info.identity, 0);
    }
    return null;
  }

  onPart({ identity, offset, bytes }: MessageOf<"resourcePart">): void {
    if (!this.requested.has(toHex(identity)))
      refuse("out of turn", "the server sent a part of a resource that was not requested");
    const { current } = this;
    if (current === null || !equalBytes(identity, current.info.identity)) return; // it belongs to a former request
    // Bytes that are not the next ones belong to a former request for the resource.
    const known = Math.min(Math.max(current.received - offset, 0), bytes.length);
    const skipped = offset > current.received ? bytes.length : known;
    current.skipped += skipped;
    if (offset + bytes.length > current.info.size || current.skipped > skippedBytesMax)
      refuse("malformed resource", "a part of a resource does not continue the last one");
    if (skipped === bytes.length) return;
    current.bytes.set(bytes.subarray(skipped), current.received);
    current.received += bytes.length - skipped;
    if (current.received < current.info.size) return;
    this.current = null;
    this.reading.push({ bytes: current.bytes, work: this.store!.addWork(current.bytes) });
  }

  /** Reads what was received. A level that cannot be read is not kept: deltas have everything. */
  advance(isOver: IsOver): void {
    while (this.reading.length > 0) {
      const { bytes, work } = this.reading[0]!;
      try {
        const file = advance(work, isOver);
        if (file === null) return;
        this.received.push(bytes);
        this.levels.onStored(file);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
      this.reading.shift();
    }
  }

  /** Hands out what was received. A callback's error is not one of the server's bytes. */
  handOut(): void {
    for (let next = this.received.shift(); next !== undefined; next = this.received.shift())
      this.store!.onReceived?.(next);
  }

  endSession(): void {
    this.current = null;
    this.requested.clear();
  }
}
