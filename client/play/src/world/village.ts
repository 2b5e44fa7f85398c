// The world as it is drawn: follows what comes into view, changes and leaves.
import type { Client, Entity } from "@mobula/client";
import { Matrix4, type Scene, Vector3 } from "three";
import { type Lookup, newest, placeInWorld } from "../places.js";
import { Slices } from "../view/slices.js";
import { type Creature, Creatures } from "./creatures.js";
import { OwnMarks } from "./own_marks.js";
import { Scenery } from "./scenery.js";

// Until when a frame places entities, from its begin: slow frames take longer, so that few of them suffice.
const sliceMin = 8; // ms
const slicePart = 0.3; // part of the time since the last frame

export class Village {
  readonly creatures: Creatures;
  readonly scenery: Scenery;
  readonly marks: OwnMarks;
  /** Entities that have come into view or changed, and are not placed yet. */
  private readonly unplaced = new Slices<Entity>();
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
      if (this.client === client) this.onSpawned(client, entity);
    });
    client.onChange("Transform", (entity) => {
      if (this.client === client) this.onChanged(entity);
    });
    client.onDespawn("Transform", (entity) => {
      if (this.client === client) this.remove(entity);
    });
  }

  /** Avatars and stones show in this frame. The rest waits for a slice, because a level brings thousands at once. */
  private onSpawned(client: Client, entity: Entity): void {
    if (client.get(entity, "Avatar") !== null || client.get(entity, "Stone") !== null) this.put(client, entity);
    else this.unplaced.add(entity);
  }

  private put(client: Client, entity: Entity): void {
    if (!this.creatures.add(client, entity)) this.scenery.put(client, entity);
    else this.scenery.putGlow(client, entity);
  }

  private onChanged(entity: Entity): void {
    if (this.creatures.all.has(entity)) this.creatures.onChanged(this.client!, entity);
    else this.unplaced.add(entity);
  }

  private remove(entity: Entity): void {
    this.unplaced.delete(entity);
    this.creatures.remove(entity);
    this.scenery.remove(entity);
  }

  clear(): void {
    this.unplaced.clear();
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

  /** Places some of the entities that have come into view. The frame began at `now`, `seconds` after the last one. */
  place(now: number, seconds: number): void {
    const { client } = this;
    if (client === null) return;
    this.scenery.placeWaiting(client);
    const end = now + Math.max(sliceMin, 1000 * slicePart * seconds);
    this.unplaced.run(end, (entity) => this.put(client, entity));
  }

  /** Draws a frame, as far as `reach`, of entities as `shown` has them. Writes the place of the player's avatar to `centre`. */
  draw(shown: Lookup, seconds: number, hasGhost: boolean, reach: number, centre: Vector3): void {
    const { client } = this;
    if (client === null) return;
    if (!this.isCalm) this.time += seconds;
    this.scenery.time = this.time;
    this.scenery.cull(centre, reach);
    this.creatures.draw(client, shown, seconds, this.time);
    const hasPlace = this.own !== null && placeInWorld(client, client.player, shown, this.matrix);
    if (hasPlace) centre.setFromMatrixPosition(this.matrix);
    this.marks.putRing(hasPlace ? this.matrix : null);
    const isKnown = hasGhost && placeInWorld(client, client.player, newest(client), this.matrix);
    this.marks.putGhost(isKnown ? this.matrix : null);
  }
}
