// The world as it is drawn: follows what comes into view, changes and leaves.
import type { Client, Entity } from "@mobula/client";
import { Matrix4, type Scene, Vector3 } from "three";
import { type Lookup, newest, placeInWorld } from "../places.js";
import { type Creature, Creatures } from "./creatures.js";
import { OwnMarks } from "./own_marks.js";
import { Scenery } from "./scenery.js";

export class Village {
  readonly creatures: Creatures;
  readonly scenery: Scenery;
  readonly marks: OwnMarks;
  private readonly matrix = new Matrix4();
  private client: Client | null = null;
  private time = 0;

  constructor(
    scene: Scene,
    private readonly isCalm: boolean,
  ) {
    this.creatures = new Creatures(scene, isCalm);
    this.scenery = new Scenery(scene);
    this.marks = new OwnMarks(scene);
  }

  /** Shows the world of a client instead of the former one. */
  follow(client: Client): void {
    this.clear();
    this.client = client;
    client.onSpawn("Transform", (entity) => {
      if (this.client === client) this.put(entity);
    });
    client.onChange("Transform", (entity) => {
      if (this.client === client) this.onChanged(entity);
    });
    client.onDespawn("Transform", (entity) => {
      if (this.client === client) this.remove(entity);
    });
  }

  private put(entity: Entity): void {
    if (!this.creatures.add(this.client!, entity)) this.scenery.put(this.client!, entity);
    else this.scenery.putGlow(this.client!, entity);
  }

  private onChanged(entity: Entity): void {
    if (this.creatures.all.has(entity)) this.creatures.onChanged(this.client!, entity);
    else this.scenery.put(this.client!, entity);
  }

  private remove(entity: Entity): void {
    this.creatures.remove(entity);
    this.scenery.remove(entity);
  }

  clear(): void {
    this.creatures.clear();
    this.scenery.clear();
    this.marks.putRing(null);
    this.marks.putGhost(null);
  }

  /** Shows a stone that is predicted. */
  putStone(local: Entity): void {
    this.creatures.addStone(this.client!, local);
  }

  removeStone(local: Entity): void {
    this.creatures.remove(local);
  }

  get own(): Creature | null {
    return this.client === null ? null : (this.creatures.all.get(this.client.player) ?? null);
  }

  /** Draws a frame, as far as `reach`, of entities as `shown` has them. Writes the place of the player's avatar to `centre`. */
  draw(shown: Lookup, seconds: number, hasGhost: boolean, reach: number, centre: Vector3): void {
    const { client } = this;
    if (client === null) return;
    if (!this.isCalm) this.time += seconds;
    this.scenery.time = this.time;
    this.scenery.placeWaiting(client);
    this.scenery.cull(centre, reach);
    this.creatures.draw(client, shown, seconds, this.time);
    const hasPlace = this.own !== null && placeInWorld(client, client.player, shown, this.matrix);
    if (hasPlace) centre.setFromMatrixPosition(this.matrix);
    this.marks.putRing(hasPlace ? this.matrix : null);
    const isKnown = hasGhost && placeInWorld(client, client.player, newest(client), this.matrix);
    this.marks.putGhost(isKnown ? this.matrix : null);
  }
}
