// Where the player aims: at a point of the screen, or ahead; at a player who is near to that.
import { type PerspectiveCamera, Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Point } from "./controls.js";

export const aimHeight = 1.5; // metres above the ground, from which the server throws and judges
const bodyHeight = 0.9; // middle of an avatar
const throwSpeed = 15; // metres per second
const gravity = 9.81;
const pointed = 48; // pixels around the pointer
const ahead = Math.cos(0.6); // half of the cone that keys aim in
export const tagRange = 20; // metres
const keyThrowRange = 12;
const reached = 0.6; // metres, within which there is no way to go

export interface Target {
  readonly at: Vector3; // its feet
}

const plane = new Plane(new Vector3(0, 1, 0), -bodyHeight);
const ray = new Raycaster();
const clip = new Vector2();
const seen = new Vector3();

/** Returns the place at the height of bodies that a point of the screen shows. */
function pointOnGround(camera: PerspectiveCamera, point: Point): Vector3 | null {
  clip.set((2 * point.x) / innerWidth - 1, 1 - (2 * point.y) / innerHeight);
  ray.setFromCamera(clip, camera);
  return ray.ray.intersectPlane(plane, new Vector3());
}

/** Returns the direction on the ground from a place to a point of the screen, of length 1; 0 if it is at that point. */
export function wayTo(camera: PerspectiveCamera, from: Vector3, point: Point): { x: number; z: number } {
  const place = pointOnGround(camera, point);
  // The sky is infinitely far.
  const [x, z] = place === null ? [ray.ray.direction.x, ray.ray.direction.z] : [place.x - from.x, place.z - from.z];
  const length = Math.hypot(x, z);
  return length < (place === null ? 1e-6 : reached) ? { x: 0, z: 0 } : { x: x / length, z: z / length };
}

function nearestOnScreen<T extends Target>(camera: PerspectiveCamera, point: Point, targets: Iterable<T>): T | null {
  let best: T | null = null;
  let least = pointed;
  for (const target of targets) {
    seen.set(target.at.x, target.at.y + bodyHeight, target.at.z).project(camera);
    const x = ((seen.x + 1) / 2) * innerWidth;
    const y = ((1 - seen.y) / 2) * innerHeight;
    const distance = Math.hypot(x - point.x, y - point.y);
    if (seen.z < 1 && distance < least) [best, least] = [target, distance];
  }
  return best;
}

function nearestAhead<T extends Target>(from: Vector3, facing: Vector3, targets: Iterable<T>): T | null {
  let best: T | null = null;
  let least = tagRange;
  for (const target of targets) {
    const [x, z] = [target.at.x - from.x, target.at.z - from.z];
    const distance = Math.hypot(x, z);
    if (distance < 0.1 || distance > least || (x * facing.x + z * facing.z) / distance < ahead) continue;
    [best, least] = [target, distance];
  }
  return best;
}

export interface Aim<T> {
  readonly target: T | null;
  readonly at: Vector3; // at the height of bodies
}

/** Returns where the player aims. `facing` is the direction of the avatar, of length 1. */
export function aimOf<T extends Target>(
  camera: PerspectiveCamera,
  from: Vector3,
  facing: Vector3,
  point: Point | null,
  targets: readonly T[],
): Aim<T> {
  const target = point === null ? nearestAhead(from, facing, targets) : nearestOnScreen(camera, point, targets);
  if (target !== null) return { target, at: new Vector3(target.at.x, target.at.y + bodyHeight, target.at.z) };
  const place = point === null ? null : pointOnGround(camera, point);
  return { target: null, at: place ?? new Vector3(from.x, bodyHeight, from.z).addScaledVector(facing, keyThrowRange) };
}

/** Returns the straight direction from an avatar's aiming height to a place, of length just below 1. */
export function straight(from: Vector3, at: Vector3): Vector3 {
  const way = new Vector3(at.x - from.x, at.y - from.y - aimHeight, at.z - from.z);
  return way.lengthSq() < 1e-6 ? new Vector3(0, 0, 0.999) : way.setLength(0.999);
}

/** Returns the direction in which a stone flies to a place, by the lower of both arcs; 45 degrees if it is too far. */
export function arc(from: Vector3, at: Vector3): Vector3 {
  const [x, z] = [at.x - from.x, at.z - from.z];
  const distance = Math.max(Math.hypot(x, z), 0.01);
  const drop = at.y - from.y - aimHeight;
  const square = throwSpeed * throwSpeed;
  const root = square * square - gravity * (gravity * distance * distance + 2 * drop * square);
  const slope = root < 0 ? 1 : (square - Math.sqrt(root)) / (gravity * distance);
  return new Vector3(x / distance, slope, z / distance).setLength(0.999);
}
