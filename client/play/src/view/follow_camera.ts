// The camera: behind and above the player's avatar, turned by mouse, finger or keys.
import { type PerspectiveCamera, Vector3 } from "three";
import type { Walls } from "./walls.js";

const pitchMin = 0.12;
const pitchMax = 1.25;
const distanceMin = 6;
const distanceMax = 34;
const lookHeight = 2.1; // metres, above the avatar's middle, so that more of the way ahead is seen
const eyeHeight = 1.5; // metres
const partMin = 0.12; // smallest part of the distance
const returning = 1.2; // parts per second
const settling = 0.09; // seconds

export class FollowCamera {
  yaw = 0;
  pitch = 0.33;
  distance = 12;
  readonly centre = new Vector3();
  private readonly eye = new Vector3();
  private isPlaced = false;
  private part = 1; // part of the distance that walls leave

  constructor(
    private readonly camera: PerspectiveCamera,
    private readonly walls: Walls<unknown>,
    private readonly isCalm: boolean,
  ) {}

  turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.min(Math.max(this.pitch + pitch, pitchMin), pitchMax);
  }

  zoom(factor: number): void {
    this.distance = Math.min(Math.max(this.distance * factor, distanceMin), distanceMax);
  }

  /** Returns the direction on the ground that is "up" and "right" on the screen. */
  ground(right: number, up: number): { x: number; z: number } {
    const [sine, cosine] = [Math.sin(this.yaw), Math.cos(this.yaw)];
    return { x: -up * sine + right * cosine, z: -up * cosine - right * sine };
  }

  private put(distance: number): void {
    const flat = Math.cos(this.pitch) * distance;
    const [sine, cosine] = [Math.sin(this.yaw), Math.cos(this.yaw)];
    const { position } = this.camera;
    position.set(this.centre.x + sine * flat, 1.2 + Math.sin(this.pitch) * distance, this.centre.z + cosine * flat);
  }

  /** A wall between avatar and camera brings the camera near at once; without one it returns slowly. */
  private stayBeforeWalls(seconds: number): void {
    this.eye.set(this.centre.x, eyeHeight, this.centre.z);
    const free = this.walls.free(this.eye, this.camera.position);
    this.part = Math.min(free, this.isCalm ? free : this.part + returning * seconds);
    this.camera.position.lerpVectors(this.eye, this.camera.position, Math.max(this.part, partMin));
  }

  follow(target: Vector3, seconds: number): void {
    const part = this.isCalm || !this.isPlaced ? 1 : 1 - Math.exp(-seconds / settling);
    if (!this.isPlaced) this.yaw = Math.atan2(target.x, target.z); // the well is in view
    // A jump, as at the entrance, is no way to glide along.
    if (this.centre.distanceToSquared(target) > 400) this.centre.copy(target);
    this.centre.lerp(target, part);
    this.isPlaced = true;
    this.put(this.distance);
    this.stayBeforeWalls(seconds);
    this.camera.lookAt(this.centre.x, lookHeight, this.centre.z);
    this.camera.updateMatrixWorld();
  }
}
