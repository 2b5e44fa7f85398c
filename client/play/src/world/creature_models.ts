// Models of moving entities: people, animals, and pickups, which turn.
import { BoxGeometry, type BufferGeometry, ConeGeometry, CylinderGeometry, IcosahedronGeometry, SphereGeometry, TorusGeometry } from "three";
import { ModelBuilder, type Part } from "./model_builder.js";

const box = new BoxGeometry(1, 1, 1);
const ball = new IcosahedronGeometry(1, 1);
const drum = new CylinderGeometry(0.72, 1, 1, 8);
const cone = new ConeGeometry(1, 1, 6);
const skin = 0xf0c39a;

const limbPart = (x: number, top: number, z: number, w: number, h: number, d: number, colour: number, side: number, tinted = false): Part => ({
  at: [x, top - h / 2, z],
  scale: [w, h, d],
  colour,
  limb: [top, z, side],
  tinted,
});

/** A person of 1.8 metres who looks along +z. */
function person(hat: (builder: ModelBuilder) => ModelBuilder, tunic: number, tinted: boolean): BufferGeometry {
  const builder = new ModelBuilder();
  for (const side of [-1, 1]) {
    builder
      .add(box, limbPart(side * 0.14, 0.62, 0, 0.2, 0.5, 0.24, 0x77675a, side))
      .add(box, { ...limbPart(side * 0.14, 0.14, 0.05, 0.22, 0.14, 0.36, 0x57443a, side), limb: [0.62, 0, side] })
      .add(box, limbPart(side * 0.4, 1.2, 0, 0.16, 0.42, 0.2, tunic, -side, tinted))
      .add(ball, { at: [side * 0.4, 0.74, 0.02], scale: 0.1, colour: skin, limb: [1.2, 0, -side] });
  }
  builder
    .add(drum, { at: [0, 0.88, 0], scale: [0.4, 0.72, 0.32], colour: tunic - 0x181818, top: tunic, tinted })
    .add(drum, { at: [0, 0.58, 0], scale: [0.41, 0.12, 0.33], colour: 0x6b4a33 })
    .add(ball, { at: [0, 1.46, 0.01], scale: [0.27, 0.28, 0.27], colour: 0xe3b289, top: skin })
    .add(ball, { at: [-0.1, 1.5, 0.25], scale: 0.035, colour: 0x2b2320 })
    .add(ball, { at: [0.1, 1.5, 0.25], scale: 0.035, colour: 0x2b2320 });
  return hat(builder).build();
}

const villager = (): BufferGeometry =>
  person(
    (builder) =>
      builder
        .add(new CylinderGeometry(1, 1, 1, 10), { at: [0, 1.62, 0], scale: [0.42, 0.05, 0.42], colour: 0xd8b56a })
        .add(drum, { at: [0, 1.74, 0], scale: [0.27, 0.22, 0.27], colour: 0xd8b56a, top: 0xecd08a }),
    0xffffff,
    true,
  );

const guard = (): BufferGeometry =>
  person(
    (builder) =>
      builder
        .add(ball, { at: [0, 1.55, 0], scale: [0.31, 0.28, 0.31], colour: 0x7a8794, top: 0xb9c6d0 })
        .add(cone, { at: [0, 1.86, 0], scale: [0.07, 0.2, 0.07], colour: 0xc0392b })
        .add(box, { at: [0.46, 1.2, 0.16], scale: [0.05, 2.4, 0.05], colour: 0x6b4630 })
        .add(cone, { at: [0.46, 2.5, 0.16], scale: [0.08, 0.3, 0.08], colour: 0xc9d2d8 }),
    0x8d3b34,
    false,
  );

interface Beast {
  readonly coat: number;
  readonly light: number;
  readonly length: number;
  readonly height: number;
  readonly girth: number;
}

function beast({ coat, light, length, height, girth }: Beast): ModelBuilder {
  const builder = new ModelBuilder().add(ball, {
    at: [0, height, 0],
    scale: [girth, girth * 0.95, length / 2],
    colour: coat,
    top: light,
    tinted: true,
  });
  for (const x of [-1, 1])
    for (const z of [-1, 1])
      builder.add(box, limbPart(x * girth * 0.55, height - girth * 0.2, z * length * 0.3, 0.13, height - girth * 0.2, 0.15, coat, x * z));
  return builder;
}

function boar(): BufferGeometry {
  const builder = beast({ coat: 0x5e4334, light: 0x94714f, length: 1.35, height: 0.58, girth: 0.38 })
    .add(ball, { at: [0, 0.62, 0.68], scale: [0.26, 0.27, 0.34], colour: 0x5e4334, top: 0x8a6748 })
    .add(box, { at: [0, 0.55, 1.0], scale: [0.19, 0.18, 0.16], colour: 0xc08a78 })
    .add(cone, { at: [0, 0.98, -0.05], turn: [0.2, 0, 0], scale: [0.06, 0.2, 0.42], colour: 0x3b2a20 });
  for (const side of [-1, 1])
    builder
      .add(cone, { at: [side * 0.15, 0.6, 0.98], turn: [0.5, 0, -side * 0.5], scale: [0.04, 0.2, 0.04], colour: 0xf5ead2 })
      .add(cone, { at: [side * 0.18, 0.88, 0.55], scale: [0.08, 0.18, 0.05], colour: 0x5e4334 });
  return builder.build();
}

function wolf(): BufferGeometry {
  const builder = beast({ coat: 0x6d737d, light: 0xb4bac2, length: 1.4, height: 0.72, girth: 0.28 })
    .add(ball, { at: [0, 0.88, 0.52], scale: [0.25, 0.28, 0.3], colour: 0x8a9099, top: 0xc5cad0 })
    .add(ball, { at: [0, 1.05, 0.8], scale: [0.21, 0.2, 0.24], colour: 0x7b818b, top: 0xb4bac2, tinted: true })
    .add(box, { at: [0, 0.99, 1.04], scale: [0.13, 0.12, 0.26], colour: 0xa4aab2 })
    .add(ball, { at: [0, 1.02, 1.18], scale: 0.045, colour: 0x26262b })
    .add(cone, { at: [0, 0.78, -0.85], turn: [-1.15, 0, 0], scale: [0.12, 0.6, 0.12], colour: 0x6d737d, top: 0xd5d9dd });
  for (const side of [-1, 1])
    builder
      .add(cone, { at: [side * 0.13, 1.28, 0.74], scale: [0.07, 0.2, 0.05], colour: 0x565c66 })
      .add(ball, { at: [side * 0.1, 1.11, 0.97], scale: 0.03, colour: 0xffd45e });
  return builder.build();
}

function wisp(): BufferGeometry {
  return new ModelBuilder()
    .add(ball, { at: [0, 0.3, 0], scale: 0.16, colour: 0xbafff2, top: 0xffffff })
    .add(cone, { at: [0, 0.08, 0], turn: [Math.PI, 0, 0], scale: [0.1, 0.3, 0.1], colour: 0x7ff0e0 })
    .build();
}

function coin(): BufferGeometry {
  return new ModelBuilder()
    .add(new CylinderGeometry(1, 1, 1, 14), { at: [0, 0.62, 0], turn: [Math.PI / 2, 0, 0], scale: [0.3, 0.08, 0.3], colour: 0xf2b632, top: 0xffe08a })
    .add(box, { at: [0, 0.62, 0], scale: [0.1, 0.26, 0.11], colour: 0xc98a1c })
    .build();
}

function medkit(): BufferGeometry {
  return new ModelBuilder()
    .add(box, { at: [0, 0.5, 0], scale: [0.6, 0.42, 0.3], colour: 0xe4e4e0, top: 0xffffff })
    .add(box, { at: [0, 0.5, 0], scale: [0.3, 0.1, 0.33], colour: 0xd5382f })
    .add(box, { at: [0, 0.5, 0], scale: [0.1, 0.3, 0.33], colour: 0xd5382f })
    .add(box, { at: [0, 0.75, 0], scale: [0.2, 0.07, 0.1], colour: 0x6d737d })
    .build();
}

function key(): BufferGeometry {
  const metal = 0xe9c46a;
  return new ModelBuilder()
    .add(new TorusGeometry(0.17, 0.055, 5, 10), { at: [0, 0.95, 0], colour: metal, top: 0xffe9a8 })
    .add(box, { at: [0, 0.58, 0], scale: [0.08, 0.46, 0.08], colour: metal })
    .add(box, { at: [0.1, 0.42, 0], scale: [0.16, 0.07, 0.07], colour: metal })
    .add(box, { at: [0.08, 0.54, 0], scale: [0.12, 0.06, 0.07], colour: metal })
    .build();
}

/** A thrown stone, which is smaller than the rock that has its mesh. */
export const thrownStone = (): BufferGeometry =>
  new ModelBuilder().add(new SphereGeometry(1, 6, 5), { scale: [0.17, 0.14, 0.17], colour: 0x5f5a57, top: 0xb9b4ac }).build();

export type CreatureKind = "walks" | "floats" | "spins";

/** Models by the name of a mesh, and how they move. */
export const creatureModels: Readonly<Record<string, { readonly make: () => BufferGeometry; readonly kind: CreatureKind }>> = {
  "avatars/villager": { make: villager, kind: "walks" },
  "people/guard": { make: guard, kind: "walks" },
  "mobs/boar": { make: boar, kind: "walks" },
  "mobs/wolf": { make: wolf, kind: "walks" },
  "mobs/wisp": { make: wisp, kind: "floats" },
  "pickups/coin": { make: coin, kind: "spins" },
  "pickups/medkit": { make: medkit, kind: "spins" },
  "pickups/key": { make: key, kind: "spins" },
};
