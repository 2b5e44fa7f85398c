// Copies of a model, drawn by one call. They lie without gaps: the last one takes the place of a removed one. Copies that are
// not everywhere are culled together, so they should be near to each other.
import {
  type BufferGeometry,
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  type Material,
  type Matrix4,
  type Scene,
} from "three";

const white = new Color(1, 1, 1);

export class Instances<Key> {
  private mesh: InstancedMesh;
  private readonly keys: Key[] = [];
  private readonly places = new Map<Key, number>();

  constructor(
    private readonly scene: Scene,
    private readonly geometry: BufferGeometry,
    private readonly material: Material,
    private readonly depth: Material | null = null,
    private readonly isEverywhere = true,
  ) {
    this.mesh = this.make(16);
  }

  private make(capacity: number): InstancedMesh {
    const geometry = this.geometry.clone();
    geometry.setAttribute("gait", new InstancedBufferAttribute(new Float32Array(2 * capacity), 2));
    const mesh = new InstancedMesh(geometry, this.material, capacity);
    mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * capacity).fill(1), 3);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = !this.isEverywhere;
    mesh.castShadow = mesh.receiveShadow = true;
    if (this.depth !== null) mesh.customDepthMaterial = this.depth;
    mesh.count = 0;
    this.scene.add(mesh);
    return mesh;
  }

  private attributes(mesh: InstancedMesh): InstancedBufferAttribute[] {
    return [mesh.instanceMatrix, mesh.instanceColor!, mesh.geometry.getAttribute("gait") as InstancedBufferAttribute];
  }

  private grow(): void {
    const old = this.mesh;
    this.mesh = this.make(2 * this.keys.length);
    this.attributes(old).forEach((from, which) => this.attributes(this.mesh)[which]!.array.set(from.array));
    this.mesh.visible = old.visible;
    this.scene.remove(old);
    old.geometry.dispose();
    old.dispose();
  }

  set isShown(shown: boolean) {
    this.mesh.visible = shown;
  }

  get count(): number {
    return this.keys.length;
  }

  has(key: Key): boolean {
    return this.places.has(key);
  }

  /** Adds a copy, or moves it if it is there. */
  put(key: Key, matrix: Matrix4, colour: Color = white): void {
    let place = this.places.get(key);
    if (place === undefined) {
      place = this.keys.length;
      if (place === this.mesh.instanceMatrix.count) this.grow();
      this.keys.push(key);
      this.places.set(key, place);
      this.mesh.count = this.keys.length;
      this.mesh.setColorAt(place, colour);
      this.mesh.instanceColor!.needsUpdate = true;
    }
    this.mesh.setMatrixAt(place, matrix);
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null; // computed again when it is needed
  }

  /** Sets how a copy swings its limbs. */
  swing(key: Key, phase: number, strength: number): void {
    const place = this.places.get(key);
    if (place === undefined) return;
    const gait = this.mesh.geometry.getAttribute("gait") as InstancedBufferAttribute;
    gait.setXY(place, phase, strength);
    gait.needsUpdate = true;
  }

  remove(key: Key): void {
    const place = this.places.get(key);
    if (place === undefined) return;
    const last = this.keys.length - 1;
    for (const attribute of this.attributes(this.mesh)) {
      const { array, itemSize } = attribute;
      array.copyWithin(place * itemSize, last * itemSize, (last + 1) * itemSize);
      attribute.needsUpdate = true;
    }
    const moved = this.keys.pop()!;
    this.places.delete(key);
    if (moved !== key) {
      this.keys[place] = moved;
      this.places.set(moved, place);
    }
    this.mesh.count = this.keys.length;
    this.mesh.boundingSphere = null;
  }

  clear(): void {
    this.keys.length = this.mesh.count = 0;
    this.places.clear();
  }
}
