// Still entities: an instance of a model at the place of each.
import type { Client, Entity } from "@mobula/client";
import { type BufferGeometry, Color, Matrix4, type Scene, Vector3 } from "three";
import { newest, placeInWorld } from "../places.js";
import { Instances } from "../view/instances.js";
import { sceneryMaterial } from "../view/materials.js";
import { Walls } from "../view/walls.js";
import { type Sprite, Sprites } from "../view/sprites.js";
import { meshId } from "./mesh_ids.js";
import { sceneryModels } from "./scenery_models.js";

/** How much copies of a plant or a stone differ: in size, and in brightness. */
const variations: Readonly<Record<string, readonly [size: number, shade: number]>> = {
  "plants/pine": [0.3, 0.22],
  "plants/tuft": [0.5, 0.2],
  "props/rock": [0.6, 0.15],
  "props/post": [0.06, 0.12],
  "props/crate": [0, 0.14],
};
const warm = new Color(0xff9a4a);
const turned = new Set(["plants/pine", "plants/tuft", "props/rock"]);

/** Returns a number between 0 and 1 that is always the same for an entity. */
function lot(entity: Entity, which: number): number {
  const mixed = Math.imul(Number(entity & 0xffff_ffffn) + which * 7919, 0x9e3779b1);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

interface Look {
  readonly mesh: number;
  readonly tint: number;
  readonly density: number;
  readonly visible: boolean;
}

const walled = new Set(["houses/hut", "houses/tall_hut"]);
const chunk = 32; // metres: copies of a model in a square of this side are culled together

interface Chunk {
  readonly copies: Instances<Entity>;
  readonly x: number; // its middle
  readonly z: number;
}

interface Model {
  readonly name: string;
  readonly geometry: BufferGeometry;
  readonly chunks: Map<number, Chunk>;
}

export class Scenery {
  private readonly models = new Map<number, Model>();
  private readonly unknown: Model;
  private readonly shown = new Map<Entity, Instances<Entity>>();
  private readonly lights: Sprites<Entity>;
  private readonly smoke: Sprites<Entity>;
  /** Walls of the houses, for the camera. */
  readonly walls = new Walls<Entity>();
  /** Entities whose parent is not in view yet. */
  private readonly waiting = new Set<Entity>();
  private readonly matrix = new Matrix4();
  private readonly extra = new Matrix4();

  private readonly material = sceneryMaterial();

  constructor(private readonly scene: Scene) {
    for (const [name, make] of Object.entries(sceneryModels))
      this.models.set(meshId(name), { name, geometry: make(), chunks: new Map() });
    this.unknown = this.models.get(meshId(""))!;
    this.lights = new Sprites(scene, true);
    this.smoke = new Sprites(scene, false);
  }

  set time(seconds: number) {
    this.smoke.time = seconds;
  }

  get count(): number {
    return this.shown.size;
  }

  put(client: Client, entity: Entity): void {
    if (!placeInWorld(client, entity, newest(client), this.matrix)) return void this.waiting.add(entity);
    this.waiting.delete(entity);
    const body = client.get(entity, "Body") as unknown as Look | null;
    this.putGlow(client, entity);
    if (body?.visible === true) this.putBody(entity, body);
  }

  /** Puts light or smoke where an entity has some. Moving entities have none. */
  putGlow(client: Client, entity: Entity): void {
    const fog = client.get(entity, "Fog") as unknown as Look | null;
    if (fog?.visible !== true || client.get(entity, "Velocity") !== null) return;
    if (placeInWorld(client, entity, newest(client), this.matrix)) this.putFog(entity, fog);
  }

  private putBody(entity: Entity, body: Look): void {
    const model = this.models.get(body.mesh) ?? this.unknown;
    const copies = this.chunkOf(model);
    if (this.shown.get(entity) !== copies) this.shown.get(entity)?.remove(entity);
    const [size, shade] = variations[model.name] ?? [0, 0];
    const scale = 1 + size * (lot(entity, 1) - 0.5);
    if (turned.has(model.name)) this.matrix.multiply(this.extra.makeRotationY(6.283 * lot(entity, 2)));
    if (size > 0) this.matrix.multiply(this.extra.makeScale(scale, scale, scale));
    if (walled.has(model.name)) this.putWalls(entity, model.geometry);
    const light = 1 - shade * lot(entity, 3);
    copies.put(entity, this.matrix, new Color(light, light * (1 - 0.1 * shade), light * (1 - 0.4 * shade)));
    this.shown.set(entity, copies);
  }

  private putWalls(entity: Entity, geometry: BufferGeometry): void {
    if (geometry.boundingBox === null) geometry.computeBoundingBox();
    this.walls.put(entity, this.matrix, geometry.boundingBox!);
  }

  /** Returns the copies of a model around the place of the matrix. */
  private chunkOf({ geometry, chunks }: Model): Instances<Entity> {
    const { elements } = this.matrix;
    const [x, z] = [Math.floor(elements[12]! / chunk), Math.floor(elements[14]! / chunk)];
    const key = 4096 * x + z;
    let found = chunks.get(key);
    if (found === undefined) {
      const copies = new Instances<Entity>(this.scene, geometry, this.material, null, false);
      found = { copies, x: (x + 0.5) * chunk, z: (z + 0.5) * chunk };
      chunks.set(key, found);
    }
    return found.copies;
  }

  /** Hides the chunks that fog hides. A level has all its entities, also those far out of view. */
  cull(centre: Vector3, reach: number): void {
    for (const { chunks } of this.models.values())
      for (const { copies, x, z } of chunks.values())
        copies.isShown = Math.hypot(x - centre.x, z - centre.z) < reach + chunk;
  }

  private putFog(entity: Entity, fog: Look): void {
    const isSmoke = fog.mesh === meshId("effects/smoke");
    const at = new Vector3().setFromMatrixPosition(this.matrix);
    const sprite: Sprite = isSmoke
      ? { at, size: 1.1, colour: new Color(0xf2ece6), strength: 0.5 * fog.density, rise: 0.16, phase: lot(entity, 4) }
      : { at: at.add(new Vector3(0, 1.6, 0)), size: 2.1, colour: new Color(fog.tint).lerp(warm, 0.6), strength: 1.3 * fog.density, rise: 0, phase: 0 };
    (isSmoke ? this.smoke : this.lights).put(entity, sprite);
  }

  remove(entity: Entity): void {
    this.waiting.delete(entity);
    this.shown.get(entity)?.remove(entity);
    this.shown.delete(entity);
    this.walls.remove(entity);
    this.lights.remove(entity);
    this.smoke.remove(entity);
  }

  /** Places the entities whose parents have come into view. */
  placeWaiting(client: Client): void {
    for (const entity of [...this.waiting]) this.put(client, entity);
  }

  clear(): void {
    for (const { chunks } of this.models.values()) for (const { copies } of chunks.values()) copies.clear();
    this.walls.clear();
    this.lights.clear();
    this.smoke.clear();
    this.shown.clear();
    this.waiting.clear();
  }
}
