// Continues the mirror of another connection, which has the same handles.
import { equalBytes } from "../core/bytes.js";
import { changeKind } from "./changes.js";
import type { Mirror } from "./mirror.js";
import type { Pool } from "./pool.js";

/**
 * Lists what differs from a former mirror as changes, and what the former one has not handed out. Returns false if it has
 * another schema; then all entities are listed as spawned.
 */
export function continueMirror(mirror: Mirror, former: Mirror): boolean {
  const continues = equalBytes(mirror.world.schema.fingerprint, former.world.schema.fingerprint);
  mirror.changes.drop();
  if (continues) addCollected(mirror, former);
  for (const [index, generation] of former.world.generations.entries())
    if (continues && generation !== 0 && !mirror.world.has(index, generation))
      mirror.changes.add(changeKind.destroyed, index, generation);
  for (const [index, generation] of mirror.world.generations.entries()) {
    if (generation === 0) continue;
    if (continues) addDifference(mirror, former, index, generation);
    else mirror.changes.add(changeKind.spawned, index, generation);
  }
  return continues;
}

/** The same component of the same entity is another pool and place. */
function addCollected({ changes, world }: Mirror, former: Mirror): void {
  const { count, kinds, indices, generations, pools } = former.changes.collected;
  for (let i = 0; i < count; ++i) {
    const [index, generation, from] = [indices[i]!, generations[i]!, pools[i]!];
    if (from === null) changes.add(kinds[i]!, index, generation);
    else if (world.has(index, generation)) {
      const pool = world.prototypes[index]!.pools.find((each) => isSameComponent(each, from));
      if (pool !== undefined) changes.addChanged(pool, pool.find(index), index, generation);
    }
  }
}

const isSameComponent = ({ ref }: Pool, other: Pool): boolean =>
  ref.type === other.ref.type && ref.instance === other.ref.instance;

function addDifference(mirror: Mirror, former: Mirror, index: number, generation: number): void {
  const { changes, world } = mirror;
  const wasInView = former.world.has(index, generation) && !former.isStale(index, generation);
  if (!wasInView) return changes.add(changeKind.spawned, index, generation);
  if (mirror.isStale(index, generation)) return changes.add(changeKind.lost, index, generation);
  const { pools } = world.prototypes[index]!;
  const before = former.world.prototypes[index]!.pools;
  const isAlike =
    pools.length === before.length &&
    pools.every((pool, i) => isSameComponent(pool, before[i]!)) &&
    mirror.isOwner(index, generation) === former.isOwner(index, generation);
  if (!isAlike) return changes.add(changeKind.composed, index, generation);
  pools.forEach((pool, i) => {
    const place = pool.find(index);
    if (!hasSameValues(pool, place, before[i]!, before[i]!.find(index)))
      changes.addChanged(pool, place, index, generation);
  });
}

function hasSameValues(pool: Pool, place: number, before: Pool, formerPlace: number): boolean {
  return pool.columns.every(({ layout: { size }, values }, column) => {
    const others = before.columns[column]!.values;
    for (let i = 0; i < size; ++i)
      if (!Object.is(values[place * size + i], others[formerPlace * size + i])) return false;
    return true;
  });
}
