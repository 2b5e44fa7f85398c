// Levels that a browser keeps for the next visit.
import { openIndexedDb } from "./cache/indexed_db.js";
import { type CacheLimits, restoreLevels } from "./cache/level_cache.js";
import type { LevelStore } from "./connection/level_store.js";

export type { CacheLimits } from "./cache/level_cache.js";

/**
 * Returns the levels that this browser has kept, for the option `levels` of connect(). Those that are received are kept
 * too. A browser without IndexedDB keeps them in memory alone.
 */
export async function keepLevels(limits: CacheLimits = {}, name = "mobula-levels"): Promise<LevelStore> {
  return restoreLevels(await openIndexedDb(name), limits);
}
