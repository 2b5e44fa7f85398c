// Grass and flowers around the player. They are no entities: each place has the same ones for everybody.
import { BufferAttribute, BufferGeometry, Color, InstancedMesh, Matrix4, MeshLambertMaterial, Quaternion, type Scene, Vector3 } from "three";

const cell = 0.9; // metres between tufts
const reach = 32; // cells in each direction
const moved = 4; // cells that the player goes before the meadow follows

/** Returns a number between 0 and 1 for a cell. */
function lot(x: number, z: number, which: number): number {
  let mixed = Math.imul(x, 0x27d4eb2d) ^ Math.imul(z, 0x165667b1) ^ Math.imul(which, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
}

/** Lanes and the square around the well are bare. */
const isBare = (x: number, z: number): boolean => Math.min(Math.abs(x), Math.abs(z)) < 3 || Math.hypot(x, z) < 11.5;

function blades(): BufferGeometry {
  const positions: number[] = [];
  const normals: number[] = [];
  for (let i = 0; i < 5; ++i) {
    const angle = i * 1.257;
    const [x, z] = [0.1 * Math.cos(angle), 0.1 * Math.sin(angle)];
    const [a, b] = [0.035 * Math.sin(angle), -0.035 * Math.cos(angle)];
    positions.push(x - a, 0, z - b, x + a, 0, z + b, x * 2.2, 0.17 + 0.06 * (i % 3), z * 2.2);
    for (let corner = 0; corner < 3; ++corner) normals.push(0, 1, 0); // lit as the ground is
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
  return geometry;
}

function blossom(): BufferGeometry {
  const positions: number[] = [];
  const normals: number[] = [];
  for (let i = 0; i < 5; ++i) {
    const [a, b] = [i * 1.257, i * 1.257 + 0.9];
    positions.push(0, 0.3, 0, 0.075 * Math.cos(b), 0.33, 0.075 * Math.sin(b), 0.075 * Math.cos(a), 0.33, 0.075 * Math.sin(a));
    for (let corner = 0; corner < 3; ++corner) normals.push(0, 1, 0);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
  return geometry;
}

const petals = [0xfff6e0, 0xffd54f, 0xe88fb0, 0xb79be8].map((colour) => new Color(colour));

export class Meadow {
  private readonly grass: InstancedMesh;
  private readonly flowers: InstancedMesh;
  private atX = NaN;
  private atZ = NaN;

  constructor(scene: Scene) {
    const most = (2 * reach + 1) ** 2;
    const material = (): MeshLambertMaterial => new MeshLambertMaterial({ side: 2 });
    this.grass = new InstancedMesh(blades(), material(), most);
    this.flowers = new InstancedMesh(blossom(), material(), most);
    for (const mesh of [this.grass, this.flowers]) {
      mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      mesh.setColorAt(0, petals[0]!);
      scene.add(mesh);
    }
  }

  set isShown(shown: boolean) {
    this.grass.visible = this.flowers.visible = shown;
  }

  follow(centre: Vector3): void {
    if (!this.grass.visible) return;
    const [x, z] = [Math.round(centre.x / cell / moved) * moved, Math.round(centre.z / cell / moved) * moved];
    if (x === this.atX && z === this.atZ) return;
    [this.atX, this.atZ] = [x, z];
    this.sow(x, z);
  }

  private sow(middleX: number, middleZ: number): void {
    this.grass.count = this.flowers.count = 0;
    for (let x = middleX - reach; x <= middleX + reach; ++x)
      for (let z = middleZ - reach; z <= middleZ + reach; ++z) this.plant(x, z);
    for (const mesh of [this.grass, this.flowers]) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  private plant(x: number, z: number): void {
    if (lot(x, z, 0) < 0.3) return;
    at.set((x + lot(x, z, 1) - 0.5) * cell, 0, (z + lot(x, z, 2) - 0.5) * cell);
    if (isBare(at.x, at.z)) return;
    size.setScalar(0.5 + 0.8 * lot(x, z, 4));
    matrix.compose(at, turn.setFromAxisAngle(up, 6.283 * lot(x, z, 3)), size);
    const light = lot(x, z, 5);
    this.add(this.grass, colour.setRGB(0.34 + 0.3 * light, 0.52 + 0.26 * light, 0.1 + 0.1 * light));
    if (lot(x, z, 6) < 0.1) this.add(this.flowers, petals[Math.floor(4 * lot(x >> 3, z >> 3, 7))]!);
  }

  private add(mesh: InstancedMesh, shade: Color): void {
    mesh.setMatrixAt(mesh.count, matrix);
    mesh.setColorAt(mesh.count++, shade);
  }
}

const at = new Vector3();
const size = new Vector3();
const up = new Vector3(0, 1, 0);
const turn = new Quaternion();
const matrix = new Matrix4();
const colour = new Color();
