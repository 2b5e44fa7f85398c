// Directions in which a bot tags and throws. The server refuses those that are longer than 1.

export interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

const aimHeight = 1.5; // metres above the ground, from which the server throws and judges
const bodyHeight = 0.9; // middle of an avatar
const tooNear = 0.5; // metres
const rise = 0.2; // added to the height of a throw's straight direction

/** Returns a direction with a length just below 1, which rounding to 32 bits does not lift above it. */
function direction({ x, y, z }: Vector): Vector {
  const length = Math.hypot(x, y, z) * 1.001;
  return { x: x / length, y: y / length, z: z / length };
}

/** Returns the straight direction from an avatar to the body of another; null if they are too near. */
export function straightTo(own: Vector, target: Vector): Vector | null {
  const way = { x: target.x - own.x, y: target.y + bodyHeight - own.y - aimHeight, z: target.z - own.z };
  return Math.hypot(way.x, way.y, way.z) < tooNear ? null : direction(way);
}

/** Returns the direction of a throw: above the straight one, because a stone falls. */
export function raised(straight: Vector): Vector {
  return direction({ ...straight, y: straight.y + rise });
}
