// Settings and counters of a prediction.
import { refuse } from "../core/refusal.js";
import type { InputDelayLimits } from "./input_delay.js";
import type { MispredictionCause } from "./misprediction.js";
import type { PredictedSet } from "./predicted_set.js";

export const limitsDefault: InputDelayLimits = { least: 0, most: 0, predictedMax: 32 };

/** How corrections of a component are shown. */
export interface Smoothing {
  /** Component; all without an entry of their own if it is absent. */
  readonly component?: string;
  /** Time in which a correction is shown, evenly, in ms; 0 shows it at once. Default: 150. */
  readonly duration?: number;
  /**
   * A component whose position is corrected by more than this is shown at once. Its position are the floats whose paths begin
   * with PredictionConfig.position.field. Other fields never cause that. Default: 4.
   */
  readonly snapDistance?: number;
}

export interface PredictionConfig {
  /** Predicts the player's own entity. Default: true. */
  readonly ownEntity?: boolean;
  readonly inputDelay?: Partial<InputDelayLimits>;
  readonly smoothing?: readonly Smoothing[];
  /** Time for which the difference is shown when an entity begins or ceases to be predicted, in ms. Default: 300. */
  readonly switchDuration?: number;
  /**
   * Floats that corrections are measured of: a component, and the beginning of the fields' paths. Default: the first
   * predicted component with fields below "position". Snap distances are of the same fields of all components.
   */
  readonly position?: { readonly component?: string; readonly field?: string };
}

/** Why nothing is predicted. */
export interface PredictionFailure {
  readonly reason: string;
  readonly message: string;
}

/** Throws a Refusal for names that are of no predicted component. */
export function checkNames({ smoothing = [], position = {} }: PredictionConfig, set: Pick<PredictedSet, "readable">): void {
  for (const { component } of [...smoothing, position])
    if (component !== undefined && !set.readable.get(component)?.isPredicted)
      refuse("not predicted", `the settings name ${component}`);
}

/** Counters of a prediction. A new mirror does not reset them. */
export interface PredictionStatistics {
  /** Ticks that were computed for the first time. */
  ticks: number;
  /** Ticks that were computed again. */
  ticksReplayed: number;
  /** Times that a reconciled tick was returned to. */
  rollbacks: number;
  /**
   * Reconciled ticks whose predicted values were not the server's. `late`: commands ran late or not at all. `level`: a step
   * read another level than the server's, which the client does not have yet. `remote`: something else changed that the
   * client does not predict.
   */
  readonly mispredictions: Record<MispredictionCause, number>;
  /** Times that the prediction began anew after a pause. A new mirror is none. */
  restarts: number;
  /** Rollbacks and restarts that moved a position. */
  corrections: number;
  /** Greatest distance by which the last of them moved a position, the greatest of all, and the sum. */
  readonly correctionMetres: { last: number; most: number; sum: number };
  /** Times that the limit of predicted ticks was reached. */
  stalls: number;
  /** Time that has passed in stalls, in ms. */
  stalledTime: number;
  /** Effects that were not begun because too many were running. */
  droppedEffects: number;
  /** Ticks between a command and its effect on this client, now, but for stalls. */
  inputDelayTicks: number;
  /** Ticks between the reconciled and the predicted one, now. */
  predictedTicks: number;
  /** Wanted entities in view that are not predicted now: they are too many, or their owner alone has their fields. */
  unpredictedEntities: number;
}

export function noPredictionStatistics(): PredictionStatistics {
  return {
    ticks: 0,
    ticksReplayed: 0,
    rollbacks: 0,
    mispredictions: { late: 0, level: 0, remote: 0 },
    restarts: 0,
    corrections: 0,
    correctionMetres: { last: 0, most: 0, sum: 0 },
    stalls: 0,
    stalledTime: 0,
    droppedEffects: 0,
    inputDelayTicks: 0,
    predictedTicks: 0,
    unpredictedEntities: 0,
  };
}
