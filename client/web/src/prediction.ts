// Prediction for a client of TypeScript: an entry of its own, so that pages without it do not load it.
import type { Client } from "./connection/client.js";
import { Prediction } from "./prediction/prediction.js";
import type { PredictionConfig } from "./prediction/prediction_config.js";
import type { Rules } from "./prediction/rules.js";

export { Random } from "./core/random.js";
export type { LevelStatic } from "./resource/level_file.js";
export { type Effect, type EffectNotice, effectKey } from "./prediction/effect_table.js";
export { type Misprediction, type MispredictionCause, describe } from "./prediction/misprediction.js";
export type { LocalEntity, SpawnNotice } from "./prediction/predicted_spawns.js";
export { Prediction } from "./prediction/prediction.js";
export type { PredictionConfig, PredictionStatistics, Smoothing } from "./prediction/prediction_config.js";
export type { StepBytes, VisitBytes } from "./prediction/step_bytes.js";
export type { Command, Components, PredictedWorld, Row, Rules, Visit } from "./prediction/rules.js";

export interface PredictOptions extends PredictionConfig {
  readonly rules: Rules;
}

/** Predicts a client's world by rules that the server runs too. Each update of the client then predicts. */
export function predict(client: Client, { rules, ...config }: PredictOptions): Prediction {
  const prediction = new Prediction(client.connection, rules, config);
  client.onUpdate = (now) => prediction.update(now);
  return prediction;
}
