// A court on which players push crates and throw stones: every kind of rule that clients predict. It is that of
// tests/client/prediction/court_rules.cpp.
import type { Command, PredictedWorld, Row, Rules } from "../../src/prediction/rules.js";
import { type Schema, loadSchema } from "../../src/reflect/schema.js";
import { schemaOf, structOf, type } from "./schema_builder.js";

const f = Math.fround;
const edge = 30;
const stoneTicks = 24;
const cooldownTicks = 6;

const vec3 = 0; // place among the structs, which are sorted by their names
const quat = 1;
const component = { component: "" };
const isPredicted = { predicted: "" };
const isOwners = { owner_only: "" };
const number = (name: string, base: number, offset: number, attributes: Record<string, string> = isPredicted) => ({
  name,
  base,
  offset,
  attributes,
});
const vector = (name: string, offset: number, range: string, step: string) => ({
  name,
  base: type.struct,
  struct: vec3,
  offset,
  attributes: { ...isPredicted, range, step },
});
const floats = (names: string) => [...names].map((name, i) => ({ name, base: type.float, offset: 4 * i }));

export const courtSchemaBytes: Uint8Array = schemaOf(
  [
    { name: "AVec3", size: 12, fields: floats("xyz") },
    { name: "BQuat", size: 16, fields: floats("xyzw") },
    {
      name: "Body",
      size: 24,
      attributes: component,
      fields: [vector("position", 0, "-64 64", "0.002"), vector("velocity", 12, "-32 32", "0.01")],
    },
    { name: "Crate", size: 2, alignment: 2, attributes: component, fields: [number("pushes", type.ushort, 0)] },
    {
      name: "Heading",
      size: 16,
      attributes: component,
      fields: [
        {
          name: "rotation",
          base: type.struct,
          struct: quat,
          offset: 0,
          attributes: { ...isPredicted, unit_quaternion: "", bits: "12", default: "0 0 0 1" },
        },
      ],
    },
    {
      name: "SpawnKey",
      size: 16,
      attributes: component,
      fields: [
        number("tick", type.uint, 0, isOwners),
        number("player", type.uint, 4, isOwners),
        number("command", type.uint, 8, isOwners),
        number("ordinal", type.ubyte, 12, isOwners),
      ],
    },
    { name: "Stone", size: 1, alignment: 1, attributes: component, fields: [number("left", type.ubyte, 0)] },
    {
      name: "Surface",
      size: 4,
      attributes: component,
      fields: [number("friction", type.float, 0, { range: "0 1", step: "0.01", default: "0.1" })],
    },
    {
      name: "Thrower",
      size: 4,
      alignment: 2,
      attributes: component,
      fields: [number("cooldown", type.ubyte, 0), number("thrown", type.ushort, 2)],
    },
  ].map((struct) => structOf(struct)),
);

export const courtSchema = (): Schema => loadSchema(courtSchemaBytes);

/** A command: its kind, then two singles. */
const commandOf = (kind: string, x: number, z: number): Uint8Array => {
  const bytes = new Uint8Array(12);
  bytes[0] = kind.charCodeAt(0);
  new DataView(bytes.buffer).setFloat32(4, x, true);
  new DataView(bytes.buffer).setFloat32(8, z, true);
  return bytes;
};
export const courtWalk = (x: number, z: number): Uint8Array => commandOf("w", x, z);
export const courtThrow = (x: number, z: number): Uint8Array => commandOf("t", x, z);

const side = (value: number): number => Math.max(-1, Math.min(value, 1));

function walk(world: PredictedWorld, avatar: bigint, x: number, z: number): void {
  const body = world.tryWrite(avatar, "Body");
  if (body === null) return;
  body.velocity.x = f(body.velocity.x + side(x));
  body.velocity.z = f(body.velocity.z + side(z));
  const heading = world.tryWrite(avatar, "Heading");
  if (heading !== null) heading.rotation = { x: 0, y: f(x > 0 ? 0.6 : -0.6), z: 0, w: f(0.8) };
}

function throwStone(world: PredictedWorld, command: Command, x: number, z: number): void {
  const thrower = world.tryWrite(command.entity, "Thrower");
  const from = world.tryGet(command.entity, "Body");
  if (thrower === null || from === null || thrower.cooldown > 0) return;
  thrower.cooldown = cooldownTicks;
  ++thrower.thrown;
  const velocity = { x: f(x * 8), y: 2, z: f(z * 8) };
  const stone = world.spawn(command, { Body: { position: from.position, velocity }, Stone: { left: stoneTicks } });
  const thrown = world.tryWrite(stone, "Body");
  if (thrown !== null) thrown.velocity.x = f(thrown.velocity.x + world.random(stone).uniform(-0.5, 0.5));
  world.effect("throw", command.number);
}

function runCommand(world: PredictedWorld, command: Command): void {
  const view = new DataView(command.bytes.buffer, command.bytes.byteOffset);
  const [x, z] = [view.getFloat32(4, true), view.getFloat32(8, true)];
  if (view.getUint8(0) === "w".charCodeAt(0)) walk(world, command.entity, x, z);
  else throwStone(world, command, x, z);
}

/** Ends a motion that rounding would continue for ever. */
function slowed(velocity: number, kept: number): number {
  const left = f(velocity * kept);
  return left > f(-0.1) && left < f(0.1) ? 0 : left;
}

function bounce(body: Row, axis: "x" | "z"): void {
  const { position, velocity } = body;
  if (position[axis] >= -edge && position[axis] <= edge) return;
  position[axis] = Math.max(-edge, Math.min(position[axis], edge));
  velocity[axis] = f(-velocity[axis] * 0.5);
}

function move(world: PredictedWorld): void {
  const dt = world.secondsPerTick;
  world.each(["Body"], (entity, body) => {
    const surface = world.tryGet(entity, "Surface");
    const kept = f(1 - (surface === null ? 0 : surface.friction));
    const { position, velocity } = body;
    velocity.x = slowed(velocity.x, kept);
    velocity.z = slowed(velocity.z, kept);
    position.x = f(position.x + f(velocity.x * dt));
    position.z = f(position.z + f(velocity.z * dt));
    bounce(body, "x");
    bounce(body, "z");
  });
}

function pushCrates(world: PredictedWorld, tick: number): void {
  world.each(["Crate", "Body"], (crate, state, body) =>
    world.eachVisible(["Thrower", "Body"], (_, __, avatar) => {
      const x = f(body.position.x - avatar.position.x);
      const z = f(body.position.z - avatar.position.z);
      const square = f(f(x * x) + f(z * z));
      const stands = avatar.velocity.x === 0 && avatar.velocity.z === 0;
      if (stands || square >= 1 || square < f(0.0001)) return;
      body.velocity.x = f(body.velocity.x + x);
      body.velocity.z = f(body.velocity.z + z);
      ++state.pushes;
      world.effect("bump", ((crate & 0xffff_ffffn) << 32n) | BigInt(tick));
    }),
  );
}

export const courtRules: Rules = {
  reads: ["Surface"],
  step(world, tick, commands) {
    for (const command of commands) runCommand(world, command);
    move(world);
    pushCrates(world, tick);
    world.each(["Thrower"], (_, thrower) => {
      if (thrower.cooldown > 0) --thrower.cooldown;
    });
    world.each(["Stone"], (entity, stone) => {
      if (--stone.left === 0) world.destroy(entity);
    });
  },
};
