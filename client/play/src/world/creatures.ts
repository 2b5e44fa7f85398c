// Moving entities: avatars, animals, pickups and stones. Each frame draws them where they are to be shown.
import type { Client, Entity } from "@mobula/client";
import { Color, Matrix4, type Scene, Vector3 } from "three";
import { type Lookup, placeInWorld } from "../places.js";
import { Instances } from "../view/instances.js";
import { creatureDepthMaterial, creatureMaterial } from "../view/materials.js";
import { type CreatureKind, creatureModels, thrownStone } from "./creature_models.js";
import { meshId } from "./mesh_ids.js";

type Kind = CreatureKind | "flies";

interface Model {
  readonly kind: Kind;
  readonly copies: Instances<Entity>;
}

export interface Creature {
  readonly entity: Entity;
  readonly model: Model;
  readonly colour: Color;
  readonly at: Vector3;
  /** Tick in which its Transform has last changed. A creature that rests is not sampled. */
  changedTick: number;
  isShown: boolean;
  phase: number;
  speed: number;
}

const restTicks = 40;
const stepsPerMetre = 3.1;

/** Colours of players, far apart and readable on grass. */
export function playerColour(player: number): Color {
  return new Color().setHSL((player * 0.381966) % 1, 0.62, 0.56);
}

export class Creatures {
  readonly all = new Map<Entity, Creature>();
  private readonly models = new Map<number, Model>();
  private readonly stone: Model;
  private readonly matrix = new Matrix4();
  private readonly extra = new Matrix4();
  private readonly before = new Vector3();

  constructor(
    scene: Scene,
    private readonly isCalm: boolean,
  ) {
    const [material, depth] = [creatureMaterial(), creatureDepthMaterial()];
    for (const [name, { make, kind }] of Object.entries(creatureModels))
      this.models.set(meshId(name), { kind, copies: new Instances(scene, make(), material, depth) });
    this.stone = { kind: "flies", copies: new Instances(scene, thrownStone(), material, depth) };
  }

  /** Returns whether an entity is a creature; it is one from now on. */
  add(client: Client, entity: Entity): boolean {
    const body = client.get(entity, "Body") as unknown as { mesh: number; tint: number } | null;
    const model = client.get(entity, "Stone") !== null ? this.stone : this.models.get(body?.mesh ?? 0);
    if (model === undefined) return false;
    const avatar = client.get(entity, "Avatar") as { player: number } | null;
    const colour = avatar !== null ? playerColour(avatar.player) : new Color(body?.tint ?? 0xffffff);
    this.make(entity, model, colour, client.tick);
    return true;
  }

  /** Adds a stone that a step of this page has thrown, under its local handle. */
  addStone(client: Client, entity: Entity): void {
    this.make(entity, this.stone, new Color(0xffffff), client.tick);
  }

  private make(entity: Entity, model: Model, colour: Color, changedTick: number): void {
    this.all.set(entity, { entity, model, colour, at: new Vector3(), changedTick, isShown: false, phase: 0, speed: 0 });
  }

  /** Notes that the Transform of an entity has changed. */
  onChanged(client: Client, entity: Entity): void {
    const creature = this.all.get(entity);
    if (creature !== undefined) creature.changedTick = client.tick;
  }

  remove(entity: Entity): void {
    const creature = this.all.get(entity);
    if (creature === undefined) return;
    creature.model.copies.remove(entity);
    this.all.delete(entity);
  }

  clear(): void {
    for (const { model, entity } of this.all.values()) model.copies.remove(entity);
    this.all.clear();
  }

  /** Draws all creatures. `lookup` gives the Transform that is to be shown at this moment. */
  draw(client: Client, lookup: Lookup, seconds: number, time: number): void {
    const { tick } = client;
    for (const creature of this.all.values()) {
      const rests = creature.isShown && creature.model.kind === "walks" && creature.speed < 0.01;
      if (rests && tick - creature.changedTick > restTicks && creature.entity !== client.player) continue;
      if (client.isStale(creature.entity) || !placeInWorld(client, creature.entity, lookup, this.matrix)) this.hide(creature);
      else this.move(creature, seconds, time);
    }
  }

  /** Out of view, or destroyed by a step that runs ahead. */
  private hide(creature: Creature): void {
    if (!creature.isShown) return;
    creature.isShown = false;
    creature.model.copies.remove(creature.entity);
  }

  private move(creature: Creature, seconds: number, time: number): void {
    const { model, at, entity } = creature;
    this.before.copy(at);
    at.setFromMatrixPosition(this.matrix);
    if (!this.isCalm && (model.kind === "spins" || model.kind === "floats")) this.hover(model.kind, Number(entity & 0xffffn), time);
    model.copies.put(entity, this.matrix, creature.colour);
    if (model.kind === "walks") this.walk(creature, seconds);
    creature.isShown = true;
  }

  private hover(kind: Kind, number: number, time: number): void {
    if (kind === "spins") this.matrix.multiply(this.extra.makeRotationY(time * 1.6 + number));
    this.matrix.multiply(this.extra.makeTranslation(0, 0.09 * Math.sin(time * 2.2 + number), 0));
  }

  /** Legs swing with the distance, so that feet do not slide. */
  private walk(creature: Creature, seconds: number): void {
    const way = creature.isShown ? Math.hypot(creature.at.x - this.before.x, creature.at.z - this.before.z) : 0;
    const speed = way < 3 && seconds > 0 ? way / seconds : 0; // further is no step
    creature.speed += (speed - creature.speed) * Math.min(1, seconds * 10);
    creature.phase += Math.min(way, 1) * stepsPerMetre;
    creature.model.copies.swing(creature.entity, creature.phase, Math.min(1, creature.speed / 3) * 0.75);
  }

}
