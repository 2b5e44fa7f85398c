// Marks of the player: a ring under the avatar, and the server's ghost of it.
import { type BufferGeometry, Color, type Matrix4, Mesh, MeshBasicMaterial, RingGeometry, type Scene, type Vector3 } from "three";
import { creatureModels } from "./creature_models.js";

export class OwnMarks {
  private readonly ring: Mesh;
  private readonly ghost: Mesh<BufferGeometry, MeshBasicMaterial>;

  constructor(scene: Scene) {
    const gold = new MeshBasicMaterial({ color: 0xffce6a, transparent: true, opacity: 0.75, depthWrite: false });
    this.ring = new Mesh(new RingGeometry(0.55, 0.66, 40).rotateX(-Math.PI / 2), gold);
    const blue = new MeshBasicMaterial({ color: new Color(0x9fd4ff), transparent: true, opacity: 0.42, depthWrite: false });
    this.ghost = new Mesh(creatureModels["avatars/villager"]!.make(), blue);
    this.ring.visible = this.ghost.visible = false;
    scene.add(this.ring, this.ghost);
  }

  /** Returns where the ghost is; null while it is hidden. */
  get ghostAt(): Vector3 | null {
    return this.ghost.visible ? this.ghost.position : null;
  }

  /** Shows the ring at a place; null hides it. */
  putRing(place: Matrix4 | null): void {
    this.ring.visible = place !== null;
    if (place !== null) this.ring.position.setFromMatrixPosition(place).setY(this.ring.position.y + 0.04);
  }

  putGhost(place: Matrix4 | null): void {
    this.ghost.visible = place !== null;
    if (place !== null) place.decompose(this.ghost.position, this.ghost.quaternion, this.ghost.scale);
  }
}
