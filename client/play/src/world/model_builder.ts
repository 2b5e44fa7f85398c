// Builds a low-poly model out of simple parts. Its triangles share no vertices, so each face has one shade.
import { BufferAttribute, BufferGeometry, Color, Euler, Matrix4, Quaternion, Vector3 } from "three";

type Triple = readonly [number, number, number];

export interface Part {
  readonly at?: Triple;
  readonly turn?: Triple; // Euler angles
  readonly scale?: Triple | number;
  /** Colour of the lowest and the highest vertices. */
  readonly colour: number;
  readonly top?: number;
  /** Swings about the x axis at [height, depth] when its creature moves. The third number is the direction, 1 or -1. */
  readonly limb?: Triple;
  /** Takes the colour of its entity. */
  readonly tinted?: boolean;
}

export class ModelBuilder {
  private readonly positions: number[] = [];
  private readonly normals: number[] = [];
  private readonly colours: number[] = [];
  private readonly limbs: number[] = [];
  private readonly tints: number[] = [];

  add(shape: BufferGeometry, part: Part): this {
    const { at = [0, 0, 0], turn = [0, 0, 0], scale = 1 } = part;
    const size: Triple = typeof scale === "number" ? [scale, scale, scale] : scale;
    const matrix = new Matrix4().compose(
      new Vector3(...at),
      new Quaternion().setFromEuler(new Euler(...turn)),
      new Vector3(...size),
    );
    const faces = (shape.index === null ? shape.clone() : shape.toNonIndexed()).applyMatrix4(matrix);
    faces.computeVertexNormals();
    const position = faces.getAttribute("position");
    this.positions.push(...position.array);
    this.normals.push(...faces.getAttribute("normal").array);
    this.paint(position as BufferAttribute, part);
    return this;
  }

  private paint(position: BufferAttribute, { colour, top = colour, limb = [0, 0, 0], tinted = false }: Part): void {
    const [low, high] = [new Color(colour), new Color(top)];
    const mixed = new Color();
    let [bottom, peak] = [Infinity, -Infinity];
    for (let i = 0; i < position.count; ++i) {
      bottom = Math.min(bottom, position.getY(i));
      peak = Math.max(peak, position.getY(i));
    }
    for (let i = 0; i < position.count; ++i) {
      mixed.lerpColors(low, high, peak > bottom ? (position.getY(i) - bottom) / (peak - bottom) : 1);
      this.colours.push(mixed.r, mixed.g, mixed.b);
      this.limbs.push(...limb);
      this.tints.push(tinted ? 1 : 0);
    }
  }

  build(): BufferGeometry {
    const geometry = new BufferGeometry();
    const put = (name: string, values: number[], size: number): void =>
      void geometry.setAttribute(name, new BufferAttribute(new Float32Array(values), size));
    put("position", this.positions, 3);
    put("normal", this.normals, 3);
    put("color", this.colours, 3);
    put("limb", this.limbs, 3);
    put("tinted", this.tints, 1);
    return geometry;
  }
}
