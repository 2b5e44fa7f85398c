// Decides when each entity is shown: the player's own now, by prediction, and others slightly in the past.
import type { Client, Entity } from "@mobula/client";
import { type Lookup, type Place, newest } from "../places.js";

/** Own motion by prediction. Without it the player's avatar is shown as others are. */
export interface OwnMotion {
  /** Whether something is predicted at present. */
  readonly isRunning: boolean;
  /** Returns whether an entity is predicted now. */
  owns(entity: Entity): boolean;
  /** Returns the place of such an entity; null if a step has destroyed it. */
  place(entity: Entity): Place | null;
  readonly figures: PredictionFigures;
}

export interface PredictionFigures {
  readonly rollbacks: number;
  readonly late: number;
  readonly remote: number;
  readonly level: number;
  readonly ticksReplayed: number;
  readonly corrections: number;
  /** Newest correction, in metres. */
  readonly correction: number;
  /** Ticks that the page is ahead of the newest state of the server. */
  readonly ahead: number;
}

export class Timeline {
  isInterpolating = true;
  own: OwnMotion | null = null;
  private view = 0;

  constructor(private readonly client: Client) {}

  /** Fixes the moment that a frame shows. */
  beginFrame(): void {
    this.view = this.client.viewTick();
  }

  /** Returns how long ago others were where they are shown, in ms. */
  get behind(): number {
    const { client } = this;
    const shown = this.isInterpolating ? this.view : client.tick;
    return (Math.max(0, client.serverTick() - shown) * 1000) / Math.max(client.connection.ticksPerSecond, 1);
  }

  /** Returns where an entity is shown in this frame. */
  readonly shown: Lookup = (entity) => {
    if (this.own !== null && this.own.owns(entity)) return this.own.place(entity);
    if (!this.isInterpolating) return newest(this.client)(entity);
    return this.client.sample(entity, "Transform", this.view) as unknown as Place | null;
  };
}
