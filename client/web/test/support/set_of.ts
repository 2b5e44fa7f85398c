// A predicted set over a mirror that a test writes, with some bodies.
import { CommandTimeline } from "../../src/prediction/command_timeline.js";
import { entityOf as handleOf } from "../../src/core/entity.js";
import { PredictedSet } from "../../src/prediction/predicted_set.js";
import { courtSchema } from "./court_rules.js";
import { type SentEntity, WrittenMirror } from "./written_mirror.js";

export const player = 3;

/** Returns an entity with a Body at x. */
export function bodyAt(index: number, x: number, generation = 1): SentEntity {
  const bytes = new Uint8Array(24);
  new DataView(bytes.buffer).setFloat32(0, x, true);
  return { index, generation, components: new Map([["Body", bytes]]), isOwner: false };
}

export class SetOf {
  readonly written = new WrittenMirror(courtSchema());
  readonly set = new PredictedSet(this.written.mirror, ["Surface"], player);
  readonly commands = new CommandTimeline();
  private tick = 0;

  /** Makes the mirror show these. */
  show(...inView: SentEntity[]): void {
    this.written.write({ tick: ++this.tick, inView, outOfView: new Set() });
  }

  /** Makes these entities of the mirror the members. */
  rebuild(...indices: number[]): void {
    this.collect(...indices);
    this.set.rebuild();
  }

  collect(...indices: number[]): void {
    const { world } = this.written.mirror;
    const wanted = indices.map((index) => ({ index, generation: world.generationAt(index) }));
    this.set.collect(wanted, this.commands, 0);
  }

  /** Spawns a body for a command of the player. */
  spawn(command: number, x: number): bigint {
    const { set } = this;
    const slot = set.createLocal();
    const body = set.readable.get("Body")!;
    body.rows.setDefault(slot);
    body.rows.row(slot).position.x = x;
    set.keys!.rows.setDefault(slot);
    set.keys!.writeKey(slot, 10, player, command, 0);
    return set.handles[slot]!;
  }

  place(entity: bigint, x: number): void {
    this.set.readable.get("Body")!.rows.row(this.set.slotOf(entity)).position.x = x;
  }

  x(entity: bigint): number {
    return this.set.readable.get("Body")!.rows.row(this.set.slotOf(entity)).position.x;
  }
}

/** Returns the handle of an index, of the first generation by default. */
export const entityOf = (index: number, generation = 1): bigint => handleOf(index, generation);
