// Places of entities in the world. A Transform is relative to the Parent, if there is one.
import type { Client, Entity } from "@mobula/client";
import { Matrix4, Quaternion, Vector3 } from "three";

export interface Place {
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  readonly rotation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
}

/** Gives the Transform of an entity: the newest, or the one to be shown. */
export type Lookup = (entity: Entity) => Place | null;

const depthMax = 8; // parents, so that a ring of them ends
const local = new Matrix4();
const position = new Vector3();
const rotation = new Quaternion();
const one = new Vector3(1, 1, 1);

function compose(place: Place, matrix: Matrix4): Matrix4 {
  return matrix.compose(position.copy(place.position), rotation.copy(place.rotation), one);
}

/** Writes where an entity is in the world. Returns false if it, or one that it is attached to, is not in view. */
export function placeInWorld(client: Client, entity: Entity, lookup: Lookup, matrix: Matrix4): boolean {
  const own = lookup(entity);
  if (own === null) return false;
  compose(own, matrix);
  let at = entity;
  for (let depth = 0; depth < depthMax; ++depth) {
    const parent = client.get(at, "Parent") as { entity: bigint } | null;
    if (parent === null || parent.entity === 0n) return true;
    at = parent.entity;
    const place = lookup(at);
    if (place === null) return false;
    matrix.premultiply(compose(place, local));
  }
  return true;
}

/** Returns the places of the server's newest state. */
export const newest = (client: Client): Lookup => (entity) => client.get(entity, "Transform") as unknown as Place | null;
