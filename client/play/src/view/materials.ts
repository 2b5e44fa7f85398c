// Materials of models: matt, with the colours of their vertices. Limbs swing in the shader, so that all creatures of a
// kind are one draw call.
import { type InstancedBufferAttribute, MeshDepthMaterial, MeshLambertMaterial, RGBADepthPacking } from "three";

interface Shader {
  vertexShader: string;
}

const declarations = /* glsl */ `
attribute vec3 limb;
attribute vec2 gait;
vec3 swung(vec3 at) {
  float angle = limb.z * gait.y * sin(gait.x);
  float c = cos(angle);
  float s = sin(angle);
  vec2 from = at.yz - limb.xy;
  vec3 moved = vec3(at.x, limb.x + c * from.x - s * from.y, limb.y + s * from.x + c * from.y);
  return limb.z == 0.0 ? at + vec3(0.0, 0.05 * gait.y * abs(cos(gait.x)), 0.0) : moved;
}
`;

function swing(shader: Shader): void {
  shader.vertexShader = shader.vertexShader
    .replace("#include <common>", `#include <common>\n${declarations}`)
    .replace("#include <begin_vertex>", "vec3 transformed = swung(position);");
}

/** The colour of an instance counts for tinted parts alone. */
function tint(shader: Shader): void {
  shader.vertexShader = shader.vertexShader
    .replace("#include <common>", "#include <common>\nattribute float tinted;")
    .replace("#include <color_vertex>", "vColor.xyz = color.xyz * mix(vec3(1.0), instanceColor.xyz, tinted);");
}

export function sceneryMaterial(): MeshLambertMaterial {
  return new MeshLambertMaterial({ vertexColors: true });
}

export function creatureMaterial(): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ vertexColors: true });
  material.onBeforeCompile = (shader) => {
    swing(shader);
    tint(shader);
  };
  return material;
}

/** Material of the shadows that creatures cast. */
export function creatureDepthMaterial(): MeshDepthMaterial {
  const material = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
  material.onBeforeCompile = swing;
  return material;
}

/** Phase and strength of the swing of an instance. */
export type Gait = InstancedBufferAttribute;
