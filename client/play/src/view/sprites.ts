// Soft discs that face the camera: light around lanterns, smoke of chimneys, dust of stones.
import {
  AdditiveBlending,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  BufferAttribute,
  Color,
  Mesh,
  NormalBlending,
  type Scene,
  ShaderMaterial,
  type Vector3,
} from "three";

const vertexShader = /* glsl */ `
uniform float time;
attribute vec4 place; // position and size
attribute vec4 shade; // colour and strength
attribute vec2 rise;  // speed, and begin of a puff; speed 0 for a glow
varying vec2 corner;
varying vec4 tone;
varying float away;
void main() {
  vec3 at = place.xyz;
  float size = place.w;
  float strength = shade.w;
  if (rise.x > 0.0) {
    float age = fract(time * rise.x + rise.y);
    at += vec3(sin(6.0 * age + 9.0 * rise.y) * 0.25 * age + 0.7 * age * age, 2.6 * age, 0.0);
    size *= 0.4 + 1.6 * age;
    strength *= min(1.0, 6.0 * age) * (1.0 - age);
  }
  vec4 view = modelViewMatrix * vec4(at, 1.0);
  view.xy += position.xy * size;
  corner = position.xy;
  tone = vec4(shade.xyz, strength);
  away = -view.z;
  gl_Position = projectionMatrix * view;
}`;

const fragmentShader = /* glsl */ `
uniform float fogNear;
uniform float fogFar;
varying vec2 corner;
varying vec4 tone;
varying float away;
void main() {
  float soft = max(0.0, 1.0 - length(corner));
  gl_FragColor = vec4(tone.xyz, tone.w * soft * soft * (1.0 - smoothstep(fogNear, fogFar, away)));
  #include <colorspace_fragment>
}`;

const capacity = 1024;

export interface Sprite {
  readonly at: Vector3;
  readonly size: number;
  readonly colour: Color;
  readonly strength: number;
  /** Rounds of rising smoke per second; 0 for a glow. */
  readonly rise: number;
  readonly phase: number;
}

export class Sprites<Key> {
  private readonly geometry = new InstancedBufferGeometry();
  private readonly material: ShaderMaterial;
  private readonly place = new InstancedBufferAttribute(new Float32Array(4 * capacity), 4);
  private readonly shade = new InstancedBufferAttribute(new Float32Array(4 * capacity), 4);
  private readonly rise = new InstancedBufferAttribute(new Float32Array(2 * capacity), 2);
  private readonly keys: Key[] = [];
  private readonly places = new Map<Key, number>();

  constructor(scene: Scene, isLight: boolean) {
    const corners = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0]);
    this.geometry.setAttribute("position", new BufferAttribute(corners, 3));
    this.geometry.setAttribute("place", this.place);
    this.geometry.setAttribute("shade", this.shade);
    this.geometry.setAttribute("rise", this.rise);
    this.geometry.instanceCount = 0;
    this.material = new ShaderMaterial({
      uniforms: { time: { value: 0 }, fogNear: { value: 1 }, fogFar: { value: 2 }, fogColor: { value: new Color() } },
      fog: true, // the renderer sets the uniforms
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      blending: isLight ? AdditiveBlending : NormalBlending,
    });
    const mesh = new Mesh(this.geometry, this.material);
    mesh.frustumCulled = false;
    scene.add(mesh);
  }

  set time(seconds: number) {
    this.material.uniforms["time"]!.value = seconds;
  }

  /** Sprites beyond the capacity are not drawn. */
  put(key: Key, { at, size, colour, strength, rise, phase }: Sprite): void {
    let index = this.places.get(key);
    if (index === undefined) {
      if (this.keys.length === capacity) return;
      index = this.keys.length;
      this.keys.push(key);
      this.places.set(key, index);
      this.geometry.instanceCount = this.keys.length;
    }
    this.place.setXYZW(index, at.x, at.y, at.z, size);
    this.shade.setXYZW(index, colour.r, colour.g, colour.b, strength);
    this.rise.setXY(index, rise, phase);
    this.renew();
  }

  remove(key: Key): void {
    const index = this.places.get(key);
    if (index === undefined) return;
    const last = this.keys.length - 1;
    for (const { array, itemSize } of [this.place, this.shade, this.rise])
      array.copyWithin(index * itemSize, last * itemSize, (last + 1) * itemSize);
    const moved = this.keys.pop()!;
    this.places.delete(key);
    if (moved !== key) {
      this.keys[index] = moved;
      this.places.set(moved, index);
    }
    this.geometry.instanceCount = this.keys.length;
    this.renew();
  }

  private renew(): void {
    this.place.needsUpdate = this.shade.needsUpdate = this.rise.needsUpdate = true;
  }

  clear(): void {
    this.keys.length = this.geometry.instanceCount = 0;
    this.places.clear();
  }
}
