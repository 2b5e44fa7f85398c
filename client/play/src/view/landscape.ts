// The ground with its lanes, the hills around it, and the sky.
import {
  BackSide,
  Color,
  Mesh,
  MeshLambertMaterial,
  PlaneGeometry,
  type Scene,
  ShaderMaterial,
  SphereGeometry,
  type Vector3,
} from "three";

/** Colour of what is far away, and of the sky just above it. */
export const haze = new Color(0xe8cdb0);
const horizon = new Color(0xffedd2);
const zenith = new Color(0x4f9fdc);
const extent = 640;
const cells = 72;
const flat = 205; // metres from the middle up to which nothing is higher than the ground

/** Smooth noise between 0 and 1. */
function noise(x: number, z: number): number {
  const wave = (a: number, b: number, c: number): number => Math.sin(x * a + z * b + c);
  return 0.5 + 0.18 * (wave(0.11, 0.07, 1) + wave(-0.05, 0.13, 2) + wave(0.31, -0.23, 3) * 0.5 + wave(0.02, 0.03, 5));
}

function height(x: number, z: number): number {
  const beyond = Math.max(0, Math.hypot(x, z) - flat * 1.38);
  return Math.min(34, beyond * 0.22) * (0.55 + noise(x * 0.5, z * 0.5));
}

/** Colours the ground by its place: grass in patches, and earth on the four lanes and around the well. */
const groundColour = /* glsl */ `
varying vec3 ground;
float lot(vec2 at) {
  vec2 p = fract(at * vec2(0.1031, 0.1137));
  p += dot(p, p.yx + 33.33);
  return fract((p.x + p.y) * p.x * 7.31);
}
float smoothLot(vec2 at) {
  vec2 cell = floor(at);
  vec2 part = at - cell;
  part = part * part * (3.0 - 2.0 * part);
  float low = mix(lot(cell), lot(cell + vec2(1.0, 0.0)), part.x);
  return mix(low, mix(lot(cell + vec2(0.0, 1.0)), lot(cell + 1.0), part.x), part.y);
}
vec3 groundAt(vec2 at) {
  float wide = smoothLot(at * 0.07 + 3.0);
  float middle = smoothLot(at * 0.35 + 11.0);
  float fine = smoothLot(at * 2.3);
  float grain = smoothLot(at * 9.0);
  vec3 grass = mix(vec3(0.17, 0.3, 0.065), vec3(0.37, 0.5, 0.12), 0.55 * wide + 0.45 * middle);
  grass *= 0.86 + 0.2 * fine + 0.1 * grain;
  vec3 earth = mix(vec3(0.4, 0.27, 0.14), vec3(0.63, 0.47, 0.27), 0.35 * middle + 0.4 * fine + 0.25 * wide);
  earth *= 0.88 + 0.2 * grain;
  float wobble = 1.7 * (middle - 0.5) + 0.8 * (fine - 0.5);
  float away = length(at);
  float lane = 1.0 - smoothstep(1.5, 2.5, min(abs(at.x), abs(at.y)) + wobble);
  float square = 1.0 - smoothstep(8.5, 10.5, away + 1.6 * wobble);
  float worn = max(lane * (1.0 - smoothstep(180.0, 205.0, away)), square);
  return mix(grass, earth, worn);
}
`;

function groundMaterial(): MeshLambertMaterial {
  const material = new MeshLambertMaterial();
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 ground;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nground = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n${groundColour}`)
      .replace("#include <color_fragment>", "diffuseColor.rgb = groundAt(ground.xz);");
  };
  return material;
}

function addGround(scene: Scene): void {
  const geometry = new PlaneGeometry(2 * extent, 2 * extent, cells, cells).rotateX(-Math.PI / 2);
  const position = geometry.getAttribute("position");
  for (let i = 0; i < position.count; ++i) position.setY(i, height(position.getX(i), position.getZ(i)));
  geometry.computeVertexNormals();
  const mesh = new Mesh(geometry, groundMaterial());
  mesh.receiveShadow = true;
  scene.add(mesh);
}

const skyFragment = /* glsl */ `
uniform vec3 low;
uniform vec3 high;
uniform vec3 sun;
varying vec3 way;
void main() {
  vec3 to = normalize(way);
  float up = clamp(to.y * 1.6, 0.0, 1.0);
  float near = max(0.0, dot(to, sun));
  vec3 colour = mix(mix(low, vec3(0.62, 0.83, 0.95), smoothstep(0.0, 0.3, up)), high, smoothstep(0.2, 1.0, up)) + vec3(1.0, 0.8, 0.5) * (0.28 * pow(near, 8.0) + 0.6 * pow(near, 350.0));
  gl_FragColor = vec4(colour, 1.0);
  #include <colorspace_fragment>
}`;

function addSky(scene: Scene, sun: Vector3): void {
  const material = new ShaderMaterial({
    uniforms: { low: { value: horizon }, high: { value: zenith }, sun: { value: sun } },
    vertexShader: "varying vec3 way; void main() { way = position; gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0); }",
    fragmentShader: skyFragment,
    side: BackSide,
    depthWrite: false,
    depthTest: false,
  });
  const mesh = new Mesh(new SphereGeometry(1, 24, 16), material);
  mesh.frustumCulled = false;
  mesh.renderOrder = -1;
  scene.add(mesh);
}

export function addLandscape(scene: Scene, sun: Vector3): void {
  addGround(scene);
  addSky(scene, sun);
}
