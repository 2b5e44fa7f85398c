// Levels that outlive the program: a LevelStore whose files are also in a storage, such as IndexedDB or a folder.
//
// A cache is never needed. An error of the storage, or a damaged entry, means that a level is downloaded anew.
import { toHex } from "../core/bytes.js";
import { advance } from "../core/work.js";
import { LevelStore } from "../connection/level_store.js";

const sliceMs = 8;

export interface StoredLevel {
  /** Hash of the level, as hex digits. */
  readonly key: string;
  readonly bytes: number;
  /** When it was last used, in ms. */
  readonly used: number;
}

/** Keeps bytes by key. Any call may fail. */
export interface LevelStorage {
  list(): Promise<readonly StoredLevel[]>;
  read(key: string): Promise<Uint8Array>;
  /** Writes an entry completely, or not at all. It counts as used. */
  write(key: string, bytes: Uint8Array): Promise<void>;
  touch(key: string): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface CacheLimits {
  /** Default: 16. */
  readonly levelsMax?: number;
  /** Default: 64 MiB. */
  readonly bytesMax?: number;
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const identityOf = (file: Uint8Array): string => toHex(file.subarray(16, 48));

/** A LevelStore with a storage behind it. */
export class CachedLevels extends LevelStore {
  private readonly levelsMax: number;
  private readonly storedBytesMax: number;
  private work: Promise<void> = Promise.resolve(); // one call of the storage after the other

  constructor(
    private readonly storage: LevelStorage,
    { levelsMax = 16, bytesMax = 64 * 1024 * 1024 }: CacheLimits,
  ) {
    super();
    this.levelsMax = levelsMax;
    this.storedBytesMax = bytesMax;
    this.onReceived = (bytes) => this.keep(bytes);
  }

  /** Resolves when the storage has everything that was received. */
  settled(): Promise<void> {
    return this.work;
  }

  override *load(...[mirror, file, message]: Parameters<LevelStore["load"]>): ReturnType<LevelStore["load"]> {
    this.enqueue(() => this.storage.touch(toHex(file.identity)));
    return yield* super.load(mirror, file, message);
  }

  /** Adds the stored levels. The one used last is the last. Drops those that are damaged or beyond the limits. */
  restore(): Promise<void> {
    this.enqueue(async () => {
      for (const { key } of await this.trim())
        await this.restoreOne(key).catch(() => this.storage.remove(key).catch(() => {}));
    });
    return this.work;
  }

  private async restoreOne(key: string): Promise<void> {
    const bytes = await this.storage.read(key);
    if (identityOf(bytes) !== key) throw new Error("another level");
    const work = this.addWork(bytes);
    for (;;) {
      const end = performance.now() + sliceMs;
      if (advance(work, () => performance.now() >= end) !== null) return;
      await pause();
    }
  }

  private keep(bytes: Uint8Array): void {
    if (bytes.length > this.storedBytesMax) return;
    this.enqueue(async () => {
      await this.storage.write(identityOf(bytes), bytes);
      await this.trim();
    });
  }

  private enqueue(call: () => Promise<void>): void {
    this.work = this.work.then(call).catch(() => {});
  }

  /** Removes entries that were not used for longest, until the others are within the limits. Returns those by use. */
  private async trim(): Promise<readonly StoredLevel[]> {
    const newest = [...(await this.storage.list())].sort((a, b) => b.used - a.used || (a.key < b.key ? -1 : 1));
    let total = 0;
    const count = newest.findIndex(({ bytes }, i) => (total += bytes) > this.storedBytesMax || i >= this.levelsMax);
    const kept = count < 0 ? newest : newest.slice(0, count);
    for (const { key } of newest.slice(kept.length)) await this.storage.remove(key);
    return kept.reverse();
  }
}

/** Returns a store with the levels of a storage, which gets those that are received. Without a storage it is a LevelStore. */
export async function restoreLevels(storage: LevelStorage | null, limits: CacheLimits = {}): Promise<LevelStore> {
  if (storage === null) return new LevelStore(limits.bytesMax);
  const levels = new CachedLevels(storage, limits);
  await levels.restore();
  return levels;
}
