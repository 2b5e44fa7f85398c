// The key by which a client finds the entity that the server has spawned for the same command.

export interface SpawnKey {
  readonly tick: number;
  readonly player: number;
  readonly command: number;
  readonly ordinal: number;
}

/** Returns whether two keys are those of one entity. The tick is that of the side that has spawned it. */
export function isSameSpawn(a: SpawnKey, b: SpawnKey): boolean {
  return a.player === b.player && a.command === b.command && a.ordinal === b.ordinal;
}
