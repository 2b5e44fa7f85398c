// Short-lived pictures: the line of a tag, the dust of a stone, rings.
import {
  AdditiveBlending,
  BufferGeometry,
  Color,
  CylinderGeometry,
  Mesh,
  MeshBasicMaterial,
  NormalBlending,
  RingGeometry,
  type Scene,
  SphereGeometry,
  Vector3,
} from "three";

interface Running {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly life: number; // seconds
  readonly grow: number;
  age: number;
}

const beam = new CylinderGeometry(0.025, 0.025, 1, 6).translate(0, 0.5, 0).rotateX(Math.PI / 2);
const ring = new RingGeometry(0.75, 1, 32).rotateX(-Math.PI / 2);
const puff = new SphereGeometry(0.13, 7, 5);
const runningMax = 64;

export class Effects {
  private readonly running: Running[] = [];

  constructor(
    private readonly scene: Scene,
    private readonly isCalm: boolean,
  ) {}

  private begin(shape: BufferGeometry, colour: Color, life: number, grow: number, isLight = true): Mesh {
    const blending = isLight ? AdditiveBlending : NormalBlending;
    const material = new MeshBasicMaterial({ color: colour, transparent: true, depthWrite: false, blending });
    const mesh = new Mesh(shape, material);
    this.scene.add(mesh);
    this.running.push({ mesh, life, grow: this.isCalm ? 0 : grow, age: 0 });
    if (this.running.length > runningMax) this.end(this.running.shift()!);
    return mesh;
  }

  private end({ mesh }: Running): void {
    this.scene.remove(mesh);
    mesh.material.dispose();
  }

  /** Draws the line of a tag. */
  tracer(from: Vector3, to: Vector3, colour: Color): void {
    const mesh = this.begin(beam, colour, 0.45, 0);
    mesh.position.copy(from);
    mesh.lookAt(to);
    mesh.scale.set(1, 1, from.distanceTo(to));
  }

  ring(at: Vector3, colour: Color): void {
    this.begin(ring, colour, 0.7, 2.2).position.set(at.x, at.y + 0.06, at.z);
  }

  dust(at: Vector3): void {
    for (const [x, z] of [[0, 0.12], [0.14, -0.08], [-0.12, -0.06]] as const)
      this.begin(puff, new Color(0xcdb48a), 0.55, 1.6, false).position.set(at.x + x, at.y + 0.05, at.z + z);
  }

  update(seconds: number): void {
    for (let i = this.running.length - 1; i >= 0; --i) {
      const each = this.running[i]!;
      each.age += seconds;
      if (each.age >= each.life) {
        this.end(each);
        this.running.splice(i, 1);
        continue;
      }
      each.mesh.material.opacity = 1 - each.age / each.life;
      if (each.grow > 0) each.mesh.scale.setScalar(1 + (each.grow * each.age) / each.life);
    }
  }
}
