// Models of still entities: houses, plants and things.
import { BoxGeometry, type BufferGeometry, ConeGeometry, CylinderGeometry, IcosahedronGeometry, TorusGeometry } from "three";
import { ModelBuilder, type Part } from "./model_builder.js";

const box = new BoxGeometry(1, 1, 1);
const disc = new CylinderGeometry(1, 1, 1, 10);
const pole = new CylinderGeometry(1, 1, 1, 6, 1, true);
const cone = new ConeGeometry(1, 1, 7, 1, true);
const blade = new ConeGeometry(1, 1, 3, 1, true);
const roof = new CylinderGeometry(1, 1, 1, 3); // a prism
const stone = new IcosahedronGeometry(1, 0);

export const timber = 0x6b4630;
const plank = 0x9a6d45;
const plaster = 0xf0dfc0;
const slate = 0x6d7f8c;
const clay = 0xc8643c;
const iron = 0x4a4d55;
const glow = 0xffd27a;

/** A box that stands on a place. */
const block = (x: number, y: number, z: number, w: number, h: number, d: number, colour: number, more: Partial<Part> = {}): Part => ({
  at: [x, y + h / 2, z],
  scale: [w, h, d],
  colour,
  ...more,
});

function pine(): BufferGeometry {
  const needles = (y: number, r: number, h: number, turn: number): Part => ({
    at: [0, y + h / 2, 0],
    scale: [r, h, r],
    turn: [0, turn, 0],
    colour: 0x3c6f50,
    top: 0x7fb168,
  });
  return new ModelBuilder()
    .add(pole, { at: [0, 0.8, 0], scale: [0.24, 1.6, 0.24], colour: 0x4c3628, top: 0x6d4c36 })
    .add(cone, needles(1.2, 1.75, 2.7, 0))
    .add(cone, needles(2.7, 1.35, 2.5, 0.5))
    .add(cone, needles(4.3, 0.95, 2.5, 1.1))
    .build();
}

function tuft(): BufferGeometry {
  const builder = new ModelBuilder();
  for (let i = 0; i < 6; ++i) {
    const angle = i * 1.05;
    builder.add(blade, {
      at: [Math.cos(angle) * 0.14, 0.2, Math.sin(angle) * 0.14],
      turn: [Math.sin(angle) * 0.45, 0, -Math.cos(angle) * 0.45],
      scale: [0.05, 0.34 + 0.1 * (i % 3), 0.05],
      colour: 0x5f8a3f,
      top: 0xc6d873,
    });
  }
  return builder.build();
}

function rock(): BufferGeometry {
  return new ModelBuilder()
    .add(stone, { at: [0, 0.16, 0], turn: [0.4, 0.7, 0.2], scale: [0.46, 0.34, 0.4], colour: 0x7d7a78, top: 0xb9b4ac })
    .add(stone, { at: [0.34, 0.08, 0.18], turn: [0.9, 0.1, 0.5], scale: [0.2, 0.17, 0.2], colour: 0x75726f, top: 0xa8a39b })
    .build();
}

function crate(): BufferGeometry {
  const builder = new ModelBuilder().add(box, block(0, 0.03, 0, 0.92, 0.94, 0.92, 0x99683d, { top: 0xb98250 }));
  for (const x of [-0.45, 0.45])
    for (const z of [-0.45, 0.45]) builder.add(box, block(x, 0, z, 0.12, 1, 0.12, timber, { top: 0x7d5439 }));
  for (const y of [0, 0.88])
    for (const side of [-0.45, 0.45]) {
      builder.add(box, block(0, y, side, 1, 0.12, 0.12, timber));
      builder.add(box, block(side, y, 0, 0.12, 0.12, 1, timber));
    }
  return builder.build();
}

function post(): BufferGeometry {
  return new ModelBuilder()
    .add(pole, { at: [0, 0.7, 0], scale: [0.3, 1.4, 0.3], colour: 0x5d3f2b, top: 0x8a6040 })
    .add(new ConeGeometry(1, 1, 6), { at: [0, 1.6, 0], scale: [0.3, 0.4, 0.3], colour: 0x8a6040, top: 0xc79a68 })
    .add(box, block(0.5, 0.85, 0, 1, 0.12, 0.12, 0x54382a))
    .build();
}

function lantern(): BufferGeometry {
  return new ModelBuilder()
    .add(pole, { at: [0, 0.75, 0], scale: [0.07, 1.5, 0.07], colour: iron })
    .add(box, block(0, 0, 0, 0.3, 0.12, 0.3, iron))
    .add(box, block(0, 1.42, 0, 0.3, 0.05, 0.3, iron))
    .add(cone, { at: [0, 1.98, 0], scale: [0.27, 0.22, 0.27], colour: iron, top: 0x6a6e78 })
    .add(box, block(0.13, 1.45, 0.13, 0.03, 0.42, 0.03, iron))
    .add(box, block(-0.13, 1.45, -0.13, 0.03, 0.42, 0.03, iron))
    .build();
}

function flame(): BufferGeometry {
  return new ModelBuilder()
    .add(stone, { at: [0, 0.06, 0], scale: [0.11, 0.18, 0.11], colour: 0xff9a3c, top: 0xfff0b0 })
    .build();
}

/** A house of 4 by 4 metres, with its door to the front (+z). */
function house(walls: number, top: number, tiles: number, storeys: readonly number[]): BufferGeometry {
  const builder = new ModelBuilder()
    .add(box, block(0, 0, 0, 4.15, 0.3, 4.15, 0x8d8478))
    .add(box, block(0, 0.2, 0, 3.8, walls - 0.2, 3.8, 0xdcc6a2, { top: plaster }));
  for (const x of [-1.9, 1.9])
    for (const z of [-1.9, 1.9]) builder.add(box, block(x, 0, z, 0.22, walls, 0.22, timber));
  for (const y of [...storeys.map((each) => each + 1), walls - 0.16])
    for (const side of [-1.9, 1.9]) {
      builder.add(box, block(0, y, side, 3.9, 0.16, 0.16, timber));
      builder.add(box, block(side, y, 0, 0.16, 0.16, 3.9, timber));
    }
  for (const y of storeys) windows(builder, y);
  gable(builder, walls, top, tiles);
  return builder.build();
}

function windows(builder: ModelBuilder, y: number): void {
  for (const side of [-1.91, 1.91])
    for (const along of [-0.9, 0.9]) {
      builder.add(box, block(side, y, along, 0.06, 0.7, 0.6, timber));
      builder.add(box, block(side * 1.012, y + 0.08, along, 0.06, 0.54, 0.44, glow));
    }
  if (y > 2)
    for (const side of [-1.91, 1.91]) {
      builder.add(box, block(0, y, side, 0.6, 0.7, 0.06, timber));
      builder.add(box, block(0, y + 0.08, side * 1.012, 0.44, 0.54, 0.06, glow));
    }
}

function gable(builder: ModelBuilder, walls: number, top: number, tiles: number): void {
  const rise = top - walls;
  const slope = Math.atan2(rise, 2.3);
  const length = Math.hypot(rise, 2.3) + 0.25;
  // The prism of radius 1 has its corners at heights 1 and -1/2, and a base of 1.732.
  builder.add(roof, { at: [0, walls + rise / 3, 0], turn: [-Math.PI / 2, 0, 0], scale: [2.2, 3.7, (rise * 2) / 3], colour: plaster });
  for (const side of [-1, 1])
    builder.add(box, {
      at: [side * 1.2, walls + rise / 2 + 0.06, 0],
      turn: [0, 0, -side * slope],
      scale: [length, 0.2, 4.7],
      colour: tiles,
      top: tiles + 0x141210,
    });
  builder.add(box, block(0, top - 0.03, 0, 0.3, 0.2, 4.8, timber));
}

function door(): BufferGeometry {
  return new ModelBuilder()
    .add(box, block(0, 0, -0.06, 1.15, 2.05, 0.16, timber))
    .add(box, block(0, 0, 0, 0.92, 1.9, 0.14, 0x7f5a35, { top: plank }))
    .add(stone, { at: [0.32, 1, 0.1], scale: 0.06, colour: glow })
    .add(box, block(0, 0, 0.3, 1.3, 0.12, 0.5, 0x8d8478))
    .build();
}

function chimney(): BufferGeometry {
  return new ModelBuilder()
    .add(box, block(0, -1, 0, 0.6, 1.9, 0.6, 0x8b7466, { top: 0xa58b7b }))
    .add(box, block(0, 0.85, 0, 0.76, 0.16, 0.76, 0x71604f))
    .build();
}

function well(): BufferGeometry {
  const builder = new ModelBuilder()
    .add(disc, { at: [0, 0.4, 0], scale: [1.02, 0.8, 1.02], colour: 0x85807a, top: 0xb7b0a5 })
    .add(disc, { at: [0, 0.84, 0], scale: [1.1, 0.12, 1.1], colour: 0xc9c1b4 })
    .add(disc, { at: [0, 0.905, 0], scale: [0.78, 0.01, 0.78], colour: 0x2d5a72 });
  for (const x of [-0.95, 0.95]) builder.add(box, block(x, 0, 0, 0.16, 2.3, 0.16, timber));
  builder.add(pole, { at: [0, 1.9, 0], turn: [0, 0, Math.PI / 2], scale: [0.08, 1.9, 0.08], colour: plank });
  for (const side of [-1, 1])
    builder.add(box, { at: [0, 2.52, side * 0.5], turn: [side * 0.62, 0, 0], scale: [2.5, 0.1, 1.35], colour: clay, top: 0xd97a4e });
  return builder.build();
}

function gate(): BufferGeometry {
  const builder = new ModelBuilder();
  for (const x of [-3, 3])
    builder
      .add(box, block(x, 0, 0, 0.8, 4.2, 0.8, 0x7d766e, { top: 0xaaa196 }))
      .add(box, block(x, 4.2, 0, 1, 0.3, 1, 0x8d857b))
      .add(cone, { at: [x, 4.95, 0], scale: [0.75, 0.9, 0.75], colour: clay, top: 0xd97a4e });
  return builder
    .add(box, block(0, 3.4, 0, 5.4, 0.4, 0.5, timber))
    .add(box, block(0, 3.0, 0, 5.4, 0.16, 0.3, plank))
    .build();
}

/** A wing stands open, because nothing stops players there. Its hinge is at x = -1.5. */
function gateWing(): BufferGeometry {
  const builder = new ModelBuilder();
  for (let i = 0; i < 5; ++i) builder.add(box, block(-1.35, 0.15, -0.35 - i * 0.48, 0.1, 2.7, 0.44, 0x7f5a35, { top: plank }));
  for (const y of [0.6, 2.2]) builder.add(box, block(-1.28, y, -1.3, 0.08, 0.16, 2.5, iron));
  return builder.build();
}

function bench(): BufferGeometry {
  return new ModelBuilder()
    .add(box, block(0, 0.42, 0, 1.6, 0.1, 0.45, plank))
    .add(box, block(-0.6, 0, 0, 0.12, 0.42, 0.4, timber))
    .add(box, block(0.6, 0, 0, 0.12, 0.42, 0.4, timber))
    .build();
}

function lever(): BufferGeometry {
  return new ModelBuilder()
    .add(box, block(0, 0, 0, 0.36, 0.4, 0.36, 0x7d766e))
    .add(pole, { at: [0.1, 0.75, 0], turn: [0, 0, -0.35], scale: [0.05, 0.9, 0.05], colour: iron })
    .add(stone, { at: [0.26, 1.18, 0], scale: 0.11, colour: 0xc0392b })
    .build();
}

function bucket(): BufferGeometry {
  return new ModelBuilder()
    .add(new CylinderGeometry(0.22, 0.17, 0.34, 8), { at: [0, 0.17, 0], colour: plank, top: 0xb58455 })
    .add(new TorusGeometry(0.2, 0.02, 4, 8), { at: [0, 0.36, 0], colour: iron })
    .build();
}

function unknown(): BufferGeometry {
  return new ModelBuilder().add(box, block(0, 0, 0, 0.6, 0.6, 0.6, 0xb7a6d8)).build();
}

/** Models by the name of a mesh. The empty name is that of meshes without a model. */
export const sceneryModels: Readonly<Record<string, () => BufferGeometry>> = {
  "": unknown,
  "plants/pine": pine,
  "plants/tuft": tuft,
  "props/rock": rock,
  "props/crate": crate,
  "props/post": post,
  "props/lantern": lantern,
  "props/bench": bench,
  "props/lever": lever,
  "props/bucket": bucket,
  "effects/flame": flame,
  "houses/hut": () => house(2.4, 3.9, clay, [0.9]),
  "houses/tall_hut": () => house(4.4, 6.3, slate, [0.9, 2.9]),
  "houses/door": door,
  "houses/chimney": chimney,
  "houses/well": well,
  "houses/gate": gate,
  "houses/gate_wing": gateWing,
};
