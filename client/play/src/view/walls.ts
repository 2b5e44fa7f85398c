// Walls that the camera stays in front of: boxes of the models of houses, turned as their entities are.
import { type Box3, Matrix4, Vector3 } from "three";

interface Wall {
  readonly toLocal: Matrix4;
  readonly box: Box3;
}

const margin = 0.45; // metres between a wall and the camera
const from = new Vector3();
const way = new Vector3();

/** Returns the part of the way, 0 to 1, after which it enters a box; 1 if it does not. A way that begins inside leaves it. */
function entry({ min, max }: Box3): number {
  let [begin, end] = [0, 1];
  for (const axis of ["x", "y", "z"] as const) {
    const [low, high] = [min[axis] - margin, max[axis] + margin];
    if (Math.abs(way[axis]) < 1e-6) {
      if (from[axis] < low || from[axis] > high) return 1;
      continue;
    }
    const [a, b] = [(low - from[axis]) / way[axis], (high - from[axis]) / way[axis]];
    begin = Math.max(begin, Math.min(a, b));
    end = Math.min(end, Math.max(a, b));
  }
  return begin > end || begin <= 0 ? 1 : begin;
}

export class Walls<Key> {
  private readonly walls = new Map<Key, Wall>();

  put(key: Key, place: Matrix4, box: Box3): void {
    this.walls.set(key, { toLocal: place.clone().invert(), box });
  }

  remove(key: Key): void {
    this.walls.delete(key);
  }

  clear(): void {
    this.walls.clear();
  }

  /** Returns the part of the way from `eye` to `camera` that no wall is in. */
  free(eye: Vector3, camera: Vector3): number {
    let part = 1;
    for (const { toLocal, box } of this.walls.values()) {
      from.copy(eye).applyMatrix4(toLocal);
      way.copy(camera).applyMatrix4(toLocal).sub(from);
      part = Math.min(part, entry(box));
    }
    return part;
  }
}
