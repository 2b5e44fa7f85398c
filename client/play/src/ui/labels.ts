// Names and health above heads.
import type { PerspectiveCamera } from "three";
import { Vector3 } from "three";
import { make, setText } from "./elements.js";

export type LabelKind = "player" | "own" | "mob" | "place" | "ghost";

interface Label {
  readonly box: HTMLElement;
  readonly name: HTMLElement;
  readonly life: HTMLElement;
  readonly bar: HTMLElement;
  frame: number;
}

const reach: Readonly<Record<LabelKind, number>> = { own: 60, ghost: 60, player: 60, place: 45, mob: 22 };

export class Labels<Key> {
  private readonly labels = new Map<Key, Label>();
  private readonly at = new Vector3();
  private frame = 0;
  private width = 0;
  private height = 0;

  constructor(
    private readonly layer: HTMLElement,
    private readonly camera: PerspectiveCamera,
  ) {}

  begin(): void {
    ++this.frame;
    this.width = innerWidth;
    this.height = innerHeight;
  }

  private make(): Label {
    const box = make("div");
    const name = make("span");
    const life = make("span", "life");
    const bar = make("i");
    life.append(bar);
    box.append(name, life);
    this.layer.append(box);
    return { box, name, life, bar, frame: 0 };
  }

  /** Shows a label above a place in this frame. `health` is 0 to 1; null without a bar. */
  put(key: Key, kind: LabelKind, place: Vector3, text: string, health: number | null): void {
    this.at.copy(place);
    const distance = this.at.distanceTo(this.camera.position);
    if (distance > reach[kind]) return;
    this.at.project(this.camera);
    if (this.at.z > 1 || Math.abs(this.at.x) > 1.1 || Math.abs(this.at.y) > 1.1) return;
    let label = this.labels.get(key);
    if (label === undefined) this.labels.set(key, (label = this.make()));
    label.frame = this.frame;
    label.box.className = `label ${kind}`;
    setText(label.name, text);
    label.life.hidden = health === null;
    if (health !== null) label.bar.style.transform = `scaleX(${health.toFixed(2)})`;
    const x = ((this.at.x + 1) / 2) * this.width;
    const y = ((1 - this.at.y) / 2) * this.height;
    label.box.style.opacity = Math.min(1, (1.15 * (reach[kind] - distance)) / (0.3 * reach[kind])).toFixed(2);
    label.box.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
  }

  /** Removes the labels that this frame did not show. */
  end(): void {
    for (const [key, label] of this.labels) {
      if (label.frame === this.frame) continue;
      label.box.remove();
      this.labels.delete(key);
    }
  }
}
