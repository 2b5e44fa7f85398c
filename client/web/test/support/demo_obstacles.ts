// The demo's obstacles in TypeScript: shared/examples/demo/rules/obstacle_shape.cpp and obstacles.cpp. Floats are singles.
import { concat } from "../../src/core/bytes.js";
import type { Random } from "../../src/core/random.js";

const f = Math.fround;

export interface Vec3 {
  x: number;
  y: number;
  z: number;
}

/** An upright box, turned about the vertical; or an upright cylinder, whose halves are 0. */
export interface ObstacleShape {
  x: number;
  z: number;
  halfX: number;
  halfZ: number;
  radius: number; // 0 for a box
  sine: number;
  cosine: number;
  bottom: number;
  top: number;
}

export interface SurfaceHit {
  distance: number;
  normal: Vec3;
}

interface Overlap {
  depth: number;
  x: number;
  z: number;
}

interface Flat {
  x: number;
  z: number;
}

const parallel = f(1e-6); // smaller components of a direction count as none
const cell = 8; // metres
const headerWords = 6;
const sideMax = 256;
const skin = f(0.003);
const pushesMax = 6;
const partMax = f(0.25);
const partsMax = 64;

export const clamp = (value: number, low: number, high: number): number =>
  value < low ? low : high < value ? high : value;
const lower = (a: number, b: number): number => (b < a ? b : a); // std::min
const square = (a: number, b: number): number => f(f(a * a) + f(b * b));

const toLocal = ({ sine, cosine }: ObstacleShape, x: number, z: number): Flat => ({
  x: f(f(cosine * x) - f(sine * z)),
  z: f(f(sine * x) + f(cosine * z)),
});
const toWorld = ({ sine, cosine }: ObstacleShape, x: number, z: number): Flat => ({
  x: f(f(cosine * x) + f(sine * z)),
  z: f(f(cosine * z) - f(sine * x)),
});

/** Part of a ray that is within an obstacle, or within its planes of one direction. */
class Span {
  begin = -Infinity;
  end = Infinity;
  normal: Vec3 = { x: 0, y: 0, z: 0 };
  isEmpty = false;

  cut(other: Span): void {
    if (other.begin > this.begin) {
      this.begin = other.begin;
      this.normal = other.normal;
    }
    this.end = lower(this.end, other.end);
    this.isEmpty = this.isEmpty || other.isEmpty || !(this.begin <= this.end);
  }
}

function between(from: number, direction: number, low: number, high: number, axis: Vec3): Span {
  const span = new Span();
  if (Math.abs(direction) < parallel) {
    span.isEmpty = !(from >= low && from <= high);
    return span;
  }
  const a = f(f(low - from) / direction);
  const b = f(f(high - from) / direction);
  const sign = direction > 0 ? -1 : 1;
  span.begin = lower(a, b);
  span.end = a < b ? b : a;
  span.normal = { x: axis.x * sign, y: axis.y * sign, z: axis.z * sign };
  return span;
}

function withinBox(shape: ObstacleShape, from: Vec3, direction: Vec3): Span {
  const start = toLocal(shape, f(from.x - shape.x), f(from.z - shape.z));
  const way = toLocal(shape, direction.x, direction.z);
  const x = toWorld(shape, 1, 0);
  const z = toWorld(shape, 0, 1);
  const span = between(start.x, way.x, -shape.halfX, shape.halfX, { x: x.x, y: 0, z: x.z });
  span.cut(between(start.z, way.z, -shape.halfZ, shape.halfZ, { x: z.x, y: 0, z: z.z }));
  return span;
}

function withinCylinder(shape: ObstacleShape, from: Vec3, direction: Vec3): Span {
  const start = { x: f(from.x - shape.x), z: f(from.z - shape.z) };
  const a = square(direction.x, direction.z);
  const c = f(square(start.x, start.z) - f(shape.radius * shape.radius));
  const span = new Span();
  if (a < f(parallel * parallel)) {
    span.isEmpty = !(c <= 0);
    return span;
  }
  const b = f(f(start.x * direction.x) + f(start.z * direction.z));
  const root = f(f(b * b) - f(a * c));
  if (!(root >= 0)) {
    span.isEmpty = true;
    return span;
  }
  const side = f(Math.sqrt(root));
  span.begin = f(f(-b - side) / a);
  span.end = f(f(-b + side) / a);
  span.normal = {
    x: f(f(start.x + f(direction.x * span.begin)) / shape.radius),
    y: 0,
    z: f(f(start.z + f(direction.z * span.begin)) / shape.radius),
  };
  return span;
}

/** Returns the shortest way out of a box from a place inside. */
function outOfBox(shape: ObstacleShape, local: Flat, radius: number): Overlap {
  const right = f(shape.halfX - Math.abs(local.x));
  const ahead = f(shape.halfZ - Math.abs(local.z));
  const isAlongX = right <= ahead;
  const out = isAlongX ? toWorld(shape, local.x < 0 ? -1 : 1, 0) : toWorld(shape, 0, local.z < 0 ? -1 : 1);
  return { depth: f((isAlongX ? right : ahead) + radius), x: out.x, z: out.z };
}

const reach = (shape: ObstacleShape): number => f(shape.radius + f(Math.sqrt(square(shape.halfX, shape.halfZ))));

function overlap(shape: ObstacleShape, x: number, z: number, radius: number): Overlap | null {
  const local = toLocal(shape, f(x - shape.x), f(z - shape.z));
  const awayX = f(local.x - clamp(local.x, -shape.halfX, shape.halfX));
  const awayZ = f(local.z - clamp(local.z, -shape.halfZ, shape.halfZ));
  const squared = square(awayX, awayZ);
  const apart = f(shape.radius + radius);
  if (!(squared < f(apart * apart))) return null;
  const distance = f(Math.sqrt(squared));
  if (!(distance > parallel)) return outOfBox(shape, local, apart);
  const out = toWorld(shape, f(awayX / distance), f(awayZ / distance));
  return { depth: f(apart - distance), x: out.x, z: out.z };
}

function rayHit(shape: ObstacleShape, from: Vec3, direction: Vec3, length: number): SurfaceHit | null {
  const span = shape.radius > 0 ? withinCylinder(shape, from, direction) : withinBox(shape, from, direction);
  span.cut(between(from.y, direction.y, shape.bottom, shape.top, { x: 0, y: 1, z: 0 }));
  if (span.isEmpty || !(span.end >= 0 && span.begin <= length)) return null;
  if (span.begin < 0) return { distance: 0, normal: { x: -direction.x, y: -direction.y, z: -direction.z } };
  return { distance: span.begin, normal: span.normal };
}

/** Returns the cell of a coordinate, within 0 to count - 1. Zero for no number. */
function cellOf(coordinate: number, low: number, count: number): number {
  const cells = f(f(coordinate - low) / cell);
  if (!(cells > 0)) return 0;
  return cells < count ? Math.floor(cells) : count - 1;
}

const shapeNumbers = ["x", "z", "halfX", "halfZ", "radius", "sine", "cosine", "bottom", "top"] as const;

/** Returns the bytes of a static of type "Obstacles". */
export function obstaclesOf(shapes: readonly ObstacleShape[]): Uint8Array {
  const grid = { minX: shapes.length > 0 ? 1024 : 0, minZ: shapes.length > 0 ? 1024 : 0, columns: 1, rows: 1 };
  let [maxX, maxZ] = [-1024, -1024];
  for (const shape of shapes) {
    const extent = reach(shape);
    grid.minX = Math.min(grid.minX, f(shape.x - extent));
    grid.minZ = Math.min(grid.minZ, f(shape.z - extent));
    maxX = Math.max(maxX, f(shape.x + extent));
    maxZ = Math.max(maxZ, f(shape.z + extent));
  }
  const over = (low: number, high: number): number => clamp(Math.floor(f(f(high - low) / cell)) + 1, 1, sideMax);
  if (shapes.length > 0) Object.assign(grid, { columns: over(grid.minX, maxX), rows: over(grid.minZ, maxZ) });
  const cells: number[][] = Array.from({ length: grid.columns * grid.rows }, () => []);
  shapes.forEach((shape, i) => {
    const extent = reach(shape);
    const [rowEnd, columnEnd] = [
      cellOf(f(shape.z + extent), grid.minZ, grid.rows),
      cellOf(f(shape.x + extent), grid.minX, grid.columns),
    ];
    for (let row = cellOf(f(shape.z - extent), grid.minZ, grid.rows); row <= rowEnd; ++row)
      for (let column = cellOf(f(shape.x - extent), grid.minX, grid.columns); column <= columnEnd; ++column)
        cells[row * grid.columns + column]!.push(i);
  });
  const firsts = [0];
  for (const each of cells) firsts.push(firsts.at(-1)! + each.length);
  const bytes = (numbers: Uint32Array | Float32Array): Uint8Array => new Uint8Array(numbers.buffer);
  return concat(
    bytes(Uint32Array.of(shapes.length, grid.columns, grid.rows, firsts.at(-1)!)),
    bytes(Float32Array.of(grid.minX, grid.minZ)),
    bytes(Uint32Array.from(firsts)),
    bytes(Uint32Array.from(cells.flat())),
    bytes(Float32Array.from(shapes.flatMap((shape) => shapeNumbers.map((name) => shape[name])))),
  );
}

/** Obstacles of a level, sorted into square cells on the ground. */
export class Obstacles {
  private readonly shapes: ObstacleShape[] = [];
  private readonly cells: ObstacleShape[][] = [];
  private columns = 0;
  private rows = 0;
  private minX = 0;
  private minZ = 0;

  constructor(bytes: Uint8Array | null) {
    if (bytes === null) return;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const word = (at: number): number => view.getUint32(4 * at, true);
    const float = (at: number): number => view.getFloat32(4 * at, true);
    [this.columns, this.rows, this.minX, this.minZ] = [word(1), word(2), float(4), float(5)];
    const entries = headerWords + this.columns * this.rows + 1;
    const shapes = entries + word(3);
    for (let i = 0; i < word(0); ++i) {
      const at = shapes + shapeNumbers.length * i;
      const numbers = shapeNumbers.map((name, place) => [name, float(at + place)] as const);
      this.shapes.push(Object.fromEntries(numbers) as unknown as ObstacleShape);
    }
    for (let i = 0; i < this.columns * this.rows; ++i) {
      const cell = [];
      for (let entry = word(headerWords + i); entry < word(headerWords + i + 1); ++entry)
        cell.push(this.shapes[word(entries + entry)]!);
      this.cells.push(cell);
    }
  }

  private eachNear(
    minX: number,
    minZ: number,
    maxX: number,
    maxZ: number,
    visit: (shape: ObstacleShape) => void,
  ): void {
    if (this.shapes.length === 0) return;
    const lastRow = cellOf(maxZ, this.minZ, this.rows);
    const lastColumn = cellOf(maxX, this.minX, this.columns);
    for (let row = cellOf(minZ, this.minZ, this.rows); row <= lastRow; ++row)
      for (let column = cellOf(minX, this.minX, this.columns); column <= lastColumn; ++column)
        for (const shape of this.cells[row * this.columns + column]!) visit(shape);
  }

  private deepest({ x, y, z }: Vec3, radius: number, height: number): Overlap | null {
    let deepest: Overlap | null = null;
    this.eachNear(f(x - radius), f(z - radius), f(x + radius), f(z + radius), (shape) => {
      if (!(shape.bottom < f(y + height) && shape.top > y)) return;
      const found = overlap(shape, x, z, radius);
      if (found !== null && (deepest === null || found.depth > deepest.depth)) deepest = found;
    });
    return deepest;
  }

  private slideOnce(from: Vec3, to: Vec3, radius: number, height: number): Vec3 {
    const place = { ...to };
    const wide = f(radius + skin);
    for (let i = 0; i < pushesMax; ++i) {
      const found = this.deepest(place, wide, height);
      if (found === null) return place;
      place.x = f(place.x + f(found.x * f(found.depth + skin)));
      place.z = f(place.z + f(found.z * f(found.depth + skin)));
    }
    const isFree = this.deepest(place, wide, height) === null;
    return isFree || this.deepest(from, radius, height) !== null ? place : from;
  }

  /** Returns where an upright cylinder gets that moves on the ground: it slides along what is in its way. */
  slide(from: Vec3, to: Vec3, radius: number, height: number): Vec3 {
    const x = f(to.x - from.x);
    const z = f(to.z - from.z);
    const length = f(Math.sqrt(square(x, z)));
    if (this.shapes.length === 0 || !Number.isFinite(length)) return to;
    const parts = clamp(Math.ceil(f(length / partMax)), 1, partsMax);
    let place: Vec3 = { x: from.x, y: to.y, z: from.z };
    for (let i = 0; i < parts; ++i) {
      const ahead = parts === 1 ? to : { x: f(place.x + f(x / parts)), y: to.y, z: f(place.z + f(z / parts)) };
      place = this.slideOnce(place, ahead, radius, height);
    }
    return place;
  }

  /** Returns where a ray first meets an obstacle. The direction has length 1. */
  ray(from: Vec3, direction: Vec3, length: number): SurfaceHit | null {
    let first: SurfaceHit | null = null;
    const x = f(from.x + f(direction.x * length));
    const z = f(from.z + f(direction.z * length));
    this.eachNear(Math.min(from.x, x), Math.min(from.z, z), Math.max(from.x, x), Math.max(from.z, z), (shape) => {
      const hit = rayHit(shape, from, direction, length);
      if (hit !== null && (first === null || hit.distance < first.distance)) first = hit;
    });
    return first;
  }
}

const turns = [
  [0, 1],
  [f(0.6), f(0.8)],
  [f(-0.8), f(0.6)],
  [1, 0],
] as const;

/** Returns boxes and cylinders at random places within `extent` metres, those of the tests in C++. */
export function randomShapes(random: Random, count: number, extent: number): ObstacleShape[] {
  return Array.from({ length: count }, () => {
    const [x, z] = [random.uniform(-extent, extent), random.uniform(-extent, extent)];
    const [sine, cosine] = turns[random.below(4)]!;
    const first = random.uniform(f(0.2), 2);
    const second = random.uniform(f(0.2), 3);
    const isCylinder = random.chance(1, 2);
    const form = isCylinder
      ? { halfX: 0, halfZ: 0, radius: first, sine: 0, cosine: 1 }
      : { halfX: first, halfZ: second, radius: 0, sine, cosine };
    return { x, z, ...form, bottom: 0, top: random.uniform(0.5, 5) };
  });
}
