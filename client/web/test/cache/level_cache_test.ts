import assert from "node:assert/strict";
import { test } from "node:test";
import { CachedLevels, type LevelStorage, type StoredLevel, restoreLevels } from "../../src/cache/level_cache.js";
import type { LevelStore } from "../../src/connection/level_store.js";
import { toHex } from "../../src/core/bytes.js";
import { smallLevel } from "../support/level_builder.js";

const files = Array.from({ length: 6 }, (_, i) => smallLevel(`Level${i}`));
const keyOf = (file: Uint8Array): string => toHex(file.subarray(16, 48));
const namesOf = (store: LevelStore): string[] => store.all().map(({ names }) => names[0]!);

/** A storage in memory, whose calls fail if their name is in `failing`. */
class MemoryStorage implements LevelStorage {
  readonly files = new Map<string, { bytes: Uint8Array; used: number }>();
  readonly failing = new Set<string>();
  private time = 0;

  private call(name: keyof LevelStorage): void {
    if (this.failing.has(name)) throw new Error(`${name} is refused`);
  }

  async list(): Promise<StoredLevel[]> {
    this.call("list");
    return [...this.files].map(([key, { bytes, used }]) => ({ key, bytes: bytes.length, used }));
  }

  async read(key: string): Promise<Uint8Array> {
    this.call("read");
    return this.files.get(key)!.bytes;
  }

  async write(key: string, bytes: Uint8Array): Promise<void> {
    this.call("write");
    this.files.set(key, { bytes: bytes.slice(), used: ++this.time });
  }

  async touch(key: string): Promise<void> {
    this.call("touch");
    this.files.get(key)!.used = ++this.time;
  }

  async remove(key: string): Promise<void> {
    this.call("remove");
    this.files.delete(key);
  }
}

async function receive(levels: LevelStore, ...received: Uint8Array[]): Promise<void> {
  for (const file of received) {
    levels.add(file);
    levels.onReceived!(file);
  }
  await (levels as CachedLevels).settled();
}

test("LevelCache.AReceivedLevelIsThereTheNextTime", async () => {
  const storage = new MemoryStorage();
  const first = await restoreLevels(storage);
  assert.equal(first.all().length, 0);
  await receive(first, files[0]!, files[1]!);
  assert.deepEqual(namesOf(await restoreLevels(storage)), ["Level0", "Level1"]);
});

test("LevelCache.ADamagedEntryIsDropped", async () => {
  const storage = new MemoryStorage();
  await receive(await restoreLevels(storage), files[0]!, files[1]!, files[2]!);
  storage.files.get(keyOf(files[0]!))!.bytes[60]! ^= 1;
  // A whole level under the key of another one is damage too.
  storage.files.get(keyOf(files[2]!))!.bytes = files[3]!;
  assert.deepEqual(namesOf(await restoreLevels(storage)), ["Level1"]);
  assert.deepEqual([...storage.files.keys()], [keyOf(files[1]!)]);
});

test("LevelCache.KeepsTheNumberUsedLast", async () => {
  const storage = new MemoryStorage();
  const levels = await restoreLevels(storage, { levelsMax: 3 });
  await receive(levels, files[0]!, files[1]!, files[2]!);
  // The work of a level begins with its use.
  levels.load(null as never, levels.all()[0]!, null as never).return(undefined as never);
  const loading = levels.load({ world: {} } as never, levels.all()[0]!, { count: -1 } as never);
  assert.throws(() => loading.next(), { reason: "other level" });
  await receive(levels, files[3]!);
  assert.deepEqual(namesOf(await restoreLevels(storage)), ["Level2", "Level0", "Level3"]);
});

test("LevelCache.KeepsAtMostItsBytes", async () => {
  const storage = new MemoryStorage();
  const bytesMax = 2 * files[0]!.length;
  await receive(await restoreLevels(storage, { bytesMax }), ...files.slice(0, 4));
  assert.equal(storage.files.size, 2);
  await receive(await restoreLevels(storage, { bytesMax: files[0]!.length - 1 }), files[5]!);
  assert.equal(storage.files.size, 0);
});

for (const name of ["list", "read", "write", "touch", "remove"])
  test(`LevelCache.AStorageThatRefusesTo_${name}_IsNoError`, async () => {
    const storage = new MemoryStorage();
    await receive(await restoreLevels(storage), files[0]!, files[1]!);
    storage.files.get(keyOf(files[1]!))!.bytes[60]! ^= 1;
    storage.failing.add(name);
    const levels = await restoreLevels(storage, { levelsMax: 2 });
    assert.ok(!namesOf(levels).includes("Level1"));
    await receive(levels, files[2]!, files[3]!);
    assert.ok(namesOf(levels).includes("Level3"));
  });

test("LevelCache.WithoutAStorageLevelsAreInMemory", async () => {
  const levels = await restoreLevels(null);
  levels.add(files[0]!);
  assert.deepEqual(namesOf(levels), ["Level0"]);
});
