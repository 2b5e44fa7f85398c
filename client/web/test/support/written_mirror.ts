// A mirror that a test writes itself, from a world in this process.
import { fnv1a32 } from "../../src/core/fnv.js";
import { Known } from "../../src/mirror/known.js";
import { Mirror } from "../../src/mirror/mirror.js";
import type { Schema } from "../../src/reflect/schema.js";
import { writeRow } from "../../src/wire/row_layout.js";

/** An entity as a server sends it. */
export interface SentEntity {
  readonly index: number;
  readonly generation: number;
  /** Bytes by component. */
  readonly components: ReadonlyMap<string, Uint8Array>;
  readonly isOwner: boolean;
}

/** Content of the world at a tick, as a server sends it. */
export interface SentTick {
  readonly tick: number;
  readonly inView: readonly SentEntity[];
  /** Indices that exist out of view. */
  readonly outOfView: ReadonlySet<number>;
}

export class WrittenMirror {
  readonly mirror: Mirror;
  private words = new Uint32Array(256);

  constructor(schema: Schema) {
    this.mirror = new Mirror(schema, 1 << 16);
  }

  private endMissing({ inView, outOfView }: SentTick): void {
    const { world, state, stale } = this.mirror;
    const seen = new Map(inView.map((each) => [each.index, each.generation]));
    world.generations.forEach((generation, index) => {
      if (generation === 0 || seen.get(index) === generation) return;
      state.setShown(index, -1);
      if (outOfView.has(index)) return stale.add(index, generation, world.prototypes[index]!, null, 0);
      stale.erase(index);
      world.destroy(index);
    });
  }

  private show({ index, generation, components, isOwner }: SentEntity, tick: number): void {
    const { world, state, stale } = this.mirror;
    const refs = [...components.keys()].map((name) => ({ type: fnv1a32(name), instance: fnv1a32(name) }));
    const prototype = world.intern(refs.sort((a, b) => a.type - b.type));
    if (!world.has(index, generation)) world.create(index, generation);
    stale.erase(index);
    world.recompose(index, prototype);
    while (state.known.length <= index) state.known.push(new Known(state.known.length, world.empty));
    let known = state.known[index]!;
    if (!known.is(index, generation) || known.prototype !== prototype || known.owner !== isOwner) {
      known = state.known[index] = new Known(index, prototype);
      Object.assign(known, { index, generation, owner: isOwner, shown: true });
      known.versions.restart(prototype.layout.words);
    }
    state.setShown(index, index);
    prototype.layout.rows.forEach(({ layout: row, first }, i) => {
      writeRow(row, components.get(row.component.name)!, 0, this.words, first);
      const pool = prototype.pools[i]!;
      pool.write(pool.find(index), isOwner, this.words, first, tick);
    });
    known.versions.add(tick, tick, true, this.words, 0);
    known.versions.prune(tick, Math.max(0, tick - 16));
  }

  /** Makes the mirror that of a tick. */
  write(sent: SentTick): void {
    this.endMissing(sent);
    for (const entity of sent.inView) this.show(entity, sent.tick);
    this.mirror.state.tick = sent.tick;
  }
}
