// Parts of a prediction that belong to one mirror.
import type { Connection } from "../connection/connection.js";
import type { Mirror } from "../mirror/mirror.js";
import { ClientWorld } from "./client_world.js";
import type { EffectTable } from "./effect_table.js";
import { InputDelay, type InputDelayLimits } from "./input_delay.js";
import { PredictedSet } from "./predicted_set.js";
import { type PredictionConfig, checkNames } from "./prediction_config.js";
import type { Rules } from "./rules.js";
import { SetComparison } from "./set_comparison.js";
import { ShownState } from "./shown_state.js";
import { SnapshotRing } from "./snapshot_ring.js";
import { StepLevels } from "./step_levels.js";

// Ticks of the ring beyond those that can be predicted: the reconciled one, and those around the shown moment.
const spareTicks = 4;

export class PredictionSession {
  readonly set: PredictedSet;
  readonly ring: SnapshotRing;
  readonly comparison: SetComparison;
  readonly shown: ShownState;
  readonly delay: InputDelay;
  readonly levels: StepLevels;
  readonly world: ClientWorld;

  constructor(
    readonly mirror: Mirror,
    readonly connection: Connection,
    rules: Rules,
    config: PredictionConfig,
    limits: InputDelayLimits,
    effects: EffectTable,
  ) {
    const { ticksPerSecond, predictionSeed: seed } = connection;
    rules.check?.(mirror.world.schema);
    this.set = new PredictedSet(mirror, rules.reads, connection.playerNumber);
    checkNames(config, this.set);
    this.ring = new SnapshotRing(this.set, limits.predictedMax + spareTicks);
    this.comparison = new SetComparison(mirror, this.set);
    this.shown = new ShownState(mirror, this.set, this.ring, config, ticksPerSecond);
    this.delay = new InputDelay(limits, ticksPerSecond);
    this.levels = new StepLevels(connection.levels, limits.predictedMax + spareTicks);
    const seedHalf = (shift: bigint): number => Number(BigInt.asUintN(32, seed >> shift));
    const { set, levels } = this;
    this.world = new ClientWorld(mirror, set, effects, levels, ticksPerSecond, seedHalf(0n), seedHalf(32n));
  }
}
