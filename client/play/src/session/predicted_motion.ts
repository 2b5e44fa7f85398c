// Own motion by prediction: the avatar and its stones, shown where the server will have them.
import type { Client, Entity } from "@mobula/client";
import { type Prediction, type Rules, predict } from "@mobula/client/prediction";
import type { Place } from "../places.js";
import type { OwnMotion, PredictionFigures } from "./timeline.js";

/** Called for stones and impacts of the player's own throws, and for the end of the prediction. */
export interface OwnThrows {
  onStone(local: Entity): void;
  onStoneEnded(local: Entity): void;
  onImpact(at: { readonly x: number; readonly y: number; readonly z: number }): void;
  /** Nothing is predicted any more. */
  onFailed(why: string): void;
}

export class PredictedMotion implements OwnMotion {
  /** Without it the avatar is shown as others are; prediction goes on beneath. */
  isShown = true;
  private prediction: Prediction;
  private readonly locals = new Set<Entity>();

  constructor(
    private readonly client: Client,
    private readonly rules: Rules,
    private readonly throws: OwnThrows,
  ) {
    this.prediction = this.begin(true);
  }

  private begin(isSmoothing: boolean): Prediction {
    const { client, rules } = this;
    const prediction = predict(client, isSmoothing ? { rules } : { rules, smoothing: [{ duration: 0 }] });
    this.guard();
    prediction.onSpawn(({ kind, local }) => {
      if (kind === "spawned") this.locals.add(local);
      else this.locals.delete(local);
      this.throws[kind === "spawned" ? "onStone" : "onStoneEnded"](local);
    });
    prediction.onEffect("impact", ({ kind, payload }) => {
      if (kind === "started") this.throws.onImpact(placeOf(payload));
    });
    return prediction;
  }

  /** Rules that fail end the prediction, not the game. */
  private guard(): void {
    const { client } = this;
    const update = client.onUpdate!;
    client.onUpdate = (now) => {
      try {
        update(now);
        if (this.prediction.failure !== null) throw new Error(this.prediction.failure.message);
      } catch (error) {
        client.onUpdate = null;
        this.end();
        this.throws.onFailed(error instanceof Error ? error.message : String(error));
      }
    };
  }

  private end(): void {
    for (const local of this.locals) this.throws.onStoneEnded(local);
    this.locals.clear();
  }

  /** Begins the prediction anew, with corrections that are smoothed or not. */
  restart(isSmoothing: boolean): void {
    this.end();
    this.prediction = this.begin(isSmoothing);
  }

  get isRunning(): boolean {
    return this.isShown && this.prediction.predicted(this.client.player);
  }

  owns(entity: Entity): boolean {
    return this.isShown ? this.prediction.predicted(entity) || this.prediction.isDestroyed(entity) : this.locals.has(entity);
  }

  place(entity: Entity): Place | null {
    return this.isShown ? (this.prediction.sample(entity, "Pose") as unknown as Place | null) : null;
  }

  get figures(): PredictionFigures {
    const { statistics, tick } = this.prediction;
    return {
      rollbacks: statistics.rollbacks,
      late: statistics.mispredictions.late,
      remote: statistics.mispredictions.remote,
      level: statistics.mispredictions.level,
      ticksReplayed: statistics.ticksReplayed,
      corrections: statistics.corrections,
      correction: statistics.correctionMetres.last,
      ahead: Math.max(0, tick - this.client.tick),
    };
  }
}

/** Returns the place with which the payload of an impact begins. */
function placeOf(payload: Uint8Array): { x: number; y: number; z: number } {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  return { x: view.getFloat32(0, true), y: view.getFloat32(4, true), z: view.getFloat32(8, true) };
}
