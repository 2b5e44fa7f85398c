// The demo's rules in TypeScript, as a team would write them: shared/examples/demo/rules. Floats are singles.
import { Command as DemoCommand } from "../../demo/demo_commands.js";
import { decode } from "../../src/messages.js";
import type { Command, PredictedWorld, Row, Rules } from "../../src/prediction/rules.js";
import { Obstacles, type SurfaceHit, type Vec3, clamp } from "./demo_obstacles.js";

const f = Math.fround;

const avatarSpeed = 4;
const avatarRadius = f(0.4);
const avatarHeight = f(1.8);
const aimHeight = 1.5;
const worldEdge = 500;
const nearSquared = f(1e-4);
const stillSquared = f(1e-6);
const astraySquared = f(0.01);
const blockedBelow = f(0.02);
const lengthMaxSquared = f(1.001);
const aimMinSquared = f(1e-6);
const throwSpeed = 15;
const gravity = f(9.81);
const kept = f(0.4);
const restsBelow = 1;
const backoff = f(0.01);
const life = 3; // seconds
const restsPerSecond = 2;

const root = (square: number): number => f(Math.sqrt(square));
const groundSquared = (x: number, z: number): number => f(f(x * x) + f(z * z));
const lengthSquared = ({ x, y, z }: Vec3): number => f(f(f(x * x) + f(y * y)) + f(z * z));
const vec = ({ x, y, z }: Vec3): Vec3 => ({ x, y, z });
const along = (from: Vec3, direction: Vec3, distance: number): Vec3 => ({
  x: f(from.x + f(direction.x * distance)),
  y: f(from.y + f(direction.y * distance)),
  z: f(from.z + f(direction.z * distance)),
});

interface Quat extends Vec3 {
  w: number;
}

function towards(from: Vec3, to: Vec3, speed: number): Vec3 {
  const x = f(to.x - from.x);
  const z = f(to.z - from.z);
  const distance = root(groundSquared(x, z));
  if (!(distance >= f(0.01) && Number.isFinite(distance))) return { x: 0, y: 0, z: 0 };
  return { x: f(f(x / distance) * speed), y: 0, z: f(f(z / distance) * speed) };
}

/** By half-angle formulas. */
function facing({ x, z }: Vec3): Quat {
  const cosine = f(z / root(groundSquared(x, z)));
  const [sum, rest] = [f(f(1 + cosine) / 2), f(f(1 - cosine) / 2)];
  const y = root(0 < rest ? rest : 0);
  const isNegative = x < 0 || Object.is(x, -0);
  return { x: 0, y: isNegative ? -y : y, z: 0, w: root(0 < sum ? sum : 0) };
}

// Places relative to a carrier: shared/mobula/hierarchy/rigid.hpp.
const minus = (a: number, b: number, c: number, d: number): number => f(f(a * b) - f(c * d));

function rotate(q: Quat, v: Vec3): Vec3 {
  const cross = (b: Vec3): Vec3 => ({
    x: minus(q.y, b.z, q.z, b.y),
    y: minus(q.z, b.x, q.x, b.z),
    z: minus(q.x, b.y, q.y, b.x),
  });
  const half = cross(v);
  const t = { x: f(half.x + half.x), y: f(half.y + half.y), z: f(half.z + half.z) };
  const u = cross(t);
  return {
    x: f(f(v.x + f(q.w * t.x)) + u.x),
    y: f(f(v.y + f(q.w * t.y)) + u.y),
    z: f(f(v.z + f(q.w * t.z)) + u.z),
  };
}

// Avatars -------------------------------------------------------------------------------------------------------------

const isAvatar = (world: PredictedWorld, entity: bigint): boolean =>
  world.steps(entity) && ["Walker", "Velocity", "Pose"].every((name) => world.tryGet(entity, name) !== null);

function moveAvatar(world: PredictedWorld, avatar: bigint, x: number, z: number): void {
  if (!isAvatar(world, avatar) || !(groundSquared(x, z) <= lengthMaxSquared)) return;
  world.get(avatar, "Velocity").linear = { x: f(x * avatarSpeed), y: 0, z: f(z * avatarSpeed) };
  endWalk(world, avatar);
}

function endWalk(world: PredictedWorld, avatar: bigint): void {
  const walker = world.get(avatar, "Walker");
  if (walker.has_goal) walker.has_goal = false;
}

function walkAvatarTo(world: PredictedWorld, avatar: bigint, x: number, z: number): void {
  if (!isAvatar(world, avatar) || !(Math.abs(x) <= worldEdge && Math.abs(z) <= worldEdge)) return;
  let goal = { x, y: 0, z };
  const carrier = world.tryGet(avatar, "Carrier");
  if (carrier !== null) {
    const { x: qx, y: qy, z: qz, w } = carrier.rotation as Quat;
    goal = rotate({ x: -qx, y: -qy, z: -qz, w }, along(goal, carrier.position, -1));
  }
  world.get(avatar, "Velocity").linear = towards(world.get(avatar, "Pose").position, goal, avatarSpeed);
  Object.assign(world.get(avatar, "Walker"), { goal_x: goal.x, goal_z: goal.z, has_goal: true });
}

/** Turns the velocity to the goal, if it leads past it. */
function aimAtGoal(walker: Row, from: Vec3, velocity: Vec3): Vec3 {
  const x = f(walker.goal_x - from.x);
  const z = f(walker.goal_z - from.z);
  const beside = minus(x, velocity.z, z, velocity.x);
  const speedSquared = groundSquared(velocity.x, velocity.z);
  if (!(f(beside * beside) > f(astraySquared * speedSquared))) return velocity;
  return towards(from, { x: walker.goal_x, y: 0, z: walker.goal_z }, avatarSpeed);
}

/** Returns where a tick leads without obstacles. */
function strideOf(walker: Row, from: Vec3, velocity: Vec3, dt: number): { to: Vec3; arrives: boolean } {
  const [goalX, goalZ] = [walker.goal_x as number, walker.goal_z as number];
  const waySquared = f(f(groundSquared(velocity.x, velocity.z) * dt) * dt);
  const near = waySquared < nearSquared ? nearSquared : waySquared;
  const arrives = walker.has_goal && groundSquared(f(goalX - from.x), f(goalZ - from.z)) <= near;
  const x = clamp(arrives ? goalX : f(from.x + f(velocity.x * dt)), -worldEdge, worldEdge);
  const z = clamp(arrives ? goalZ : f(from.z + f(velocity.z * dt)), -worldEdge, worldEdge);
  return { to: { x, y: from.y, z }, arrives };
}

/** Returns whether a tick has brought the avatar so little nearer to its goal that it will not come further. */
function isBlocked(walker: Row, from: Vec3, to: Vec3, way: number): boolean {
  const before = root(groundSquared(f(walker.goal_x - from.x), f(walker.goal_z - from.z)));
  const after = root(groundSquared(f(walker.goal_x - to.x), f(walker.goal_z - to.z)));
  return !(f(before - after) >= f(way * blockedBelow));
}

function walk(
  world: PredictedWorld,
  avatar: bigint,
  walker: Row,
  shownVelocity: Row,
  pose: Row,
  obstacles: Obstacles,
): void {
  const from = vec(pose.position);
  let velocity = vec(shownVelocity.linear);
  if (walker.has_goal) velocity = aimAtGoal(walker, from, velocity);
  const speedSquared = groundSquared(velocity.x, velocity.z);
  if (!(speedSquared >= stillSquared && Number.isFinite(speedSquared))) return endWalk(world, avatar);
  const { to: ahead, arrives } = strideOf(walker, from, velocity, world.secondsPerTick);
  const meets = world.tryGet(avatar, "Carrier") === null;
  const to = meets ? obstacles.slide(from, ahead, avatarRadius, avatarHeight) : ahead;
  pose.position = to;
  pose.rotation = facing(velocity);
  const way = f(root(speedSquared) * world.secondsPerTick);
  if (walker.has_goal && (arrives || isBlocked(walker, from, to, way))) {
    shownVelocity.linear = { x: 0, y: 0, z: 0 };
    return endWalk(world, avatar);
  }
  const { x, y, z } = shownVelocity.linear as Vec3;
  if (walker.has_goal && (x !== velocity.x || y !== velocity.y || z !== velocity.z)) shownVelocity.linear = velocity;
}

function aimingPlace(world: PredictedWorld, avatar: bigint): Vec3 {
  const { x, y, z } = world.get(avatar, "Pose").position as Vec3;
  const raised = { x, y: f(y + aimHeight), z };
  const carrier = world.tryGet(avatar, "Carrier");
  return carrier === null ? raised : along(carrier.position, rotate(carrier.rotation, raised), 1);
}

// Stones --------------------------------------------------------------------------------------------------------------

const effectKey = (avatar: bigint, command: number): bigint => ((avatar & 0xffff_ffffn) << 32n) | BigInt(command);

function throwStone(world: PredictedWorld, command: Command, direction: Vec3): void {
  const walker = world.tryGet(command.entity, "Walker");
  const squared = lengthSquared(direction);
  const isAimed = squared >= aimMinSquared && squared <= lengthMaxSquared;
  if (walker === null || walker.rest > 0 || !isAimed) return;
  if (!world.steps(command.entity) || world.tryGet(command.entity, "Pose") === null) return;
  const from = aimingPlace(world, command.entity);
  const length = root(squared);
  const aim = { x: f(direction.x / length), y: f(direction.y / length), z: f(direction.z / length) };
  const stone = world.spawn(command, {
    Pose: { position: from, rotation: { x: 0, y: 0, z: 0, w: 1 } },
    Velocity: { linear: { x: f(aim.x * throwSpeed), y: f(aim.y * throwSpeed), z: f(aim.z * throwSpeed) } },
    Stone: { left: life * world.ticksPerSecond, by: command.entity, command: command.number },
  });
  if (stone === 0n) return;
  walker.rest = clamp(Math.floor(world.ticksPerSecond / restsPerSecond), 1, 255);
  world.effect(
    "throw",
    effectKey(command.entity, command.number),
    new Uint8Array(BigUint64Array.of(command.entity).buffer),
  );
}

/** Returns the first surface in the way, the ground among them. */
function firstHit(obstacles: Obstacles, from: Vec3, direction: Vec3, way: number): SurfaceHit | null {
  const hit = obstacles.ray(from, direction, way);
  if (!(direction.y < 0)) return hit;
  const fall = f(from.y / -direction.y);
  const toGround = 0 < fall ? fall : 0;
  const isGround = toGround <= way && (hit === null || toGround < hit.distance);
  return isGround ? { distance: toGround, normal: { x: 0, y: 1, z: 0 } } : hit;
}

function reflected(velocity: Vec3, normal: Vec3): Vec3 {
  const into = f(f(f(velocity.x * normal.x) + f(velocity.y * normal.y)) + f(velocity.z * normal.z));
  const { x, y, z } = along(velocity, normal, f(-2 * into));
  return { x: f(x * kept), y: f(y * kept), z: f(z * kept) };
}

function hitSurface(
  world: PredictedWorld,
  entity: bigint,
  stone: Row,
  hit: SurfaceHit,
  before: Vec3,
  place: Vec3,
): Vec3 {
  let velocity = reflected(before, hit.normal);
  if (hit.normal.y > 0 && velocity.y < restsBelow) velocity = { x: 0, y: 0, z: 0 };
  if (stone.has_hit) return velocity;
  stone.has_hit = true;
  const payload = new Uint8Array(20);
  payload.set(new Uint8Array(Float32Array.of(place.x, place.y, place.z).buffer));
  payload.set(new Uint8Array(BigUint64Array.of(entity).buffer), 12);
  world.effect("impact", effectKey(stone.by, stone.command), payload);
  return velocity;
}

function fly(world: PredictedWorld, entity: bigint, stone: Row, shown: Row, pose: Row, obstacles: Obstacles): void {
  let velocity = vec(shown.linear);
  if (velocity.x === 0 && velocity.y === 0 && velocity.z === 0) return;
  const dt = world.secondsPerTick;
  velocity.y = f(velocity.y - f(gravity * dt));
  const speed = root(lengthSquared(velocity));
  if (!(speed > 0 && Number.isFinite(speed))) return;
  const direction = { x: f(velocity.x / speed), y: f(velocity.y / speed), z: f(velocity.z / speed) };
  const from = vec(pose.position);
  const hit = firstHit(obstacles, from, direction, f(speed * dt));
  let place = along(from, direction, hit === null ? f(speed * dt) : hit.distance);
  if (hit !== null) {
    place = along(place, hit.normal, backoff);
    velocity = hitSurface(world, entity, stone, hit, velocity, place);
  }
  const x = clamp(place.x, -worldEdge, worldEdge);
  const z = clamp(place.z, -worldEdge, worldEdge);
  if (x !== place.x || z !== place.z) velocity = { x: 0, y: 0, z: 0 };
  pose.position = { x, y: clamp(place.y, 0, worldEdge), z };
  shown.linear = velocity;
}

// The step ------------------------------------------------------------------------------------------------------------

function runCommand(world: PredictedWorld, command: Command): void {
  const { kind, value } = decode(DemoCommand, command.bytes).body;
  if (kind === "Move") moveAvatar(world, command.entity, value.x, value.z);
  else if (kind === "WalkTo") walkAvatarTo(world, command.entity, value.x, value.z);
  else if (kind === "Throw") throwStone(world, command, value);
}

export function stepAmong(obstacles: Obstacles, world: PredictedWorld, commands: readonly Command[]): void {
  for (const command of commands) runCommand(world, command);
  world.each(["Walker", "Velocity", "Pose"], (avatar, walker, velocity, pose) => {
    if (walker.rest > 0) --walker.rest;
    walk(world, avatar, walker, velocity, pose, obstacles);
  });
  world.each(["Stone", "Velocity", "Pose"], (entity, stone, velocity, pose) => {
    if (stone.left <= 1) return world.destroy(entity);
    --stone.left;
    fly(world, entity, stone, velocity, pose, obstacles);
  });
}

const none = new Obstacles(null);
const known = new WeakMap<Uint8Array, Obstacles>(); // by the bytes of a level

function obstaclesIn(world: PredictedWorld): Obstacles {
  const data = world.findStaticOf("Obstacles")?.data;
  if (data === undefined) return none;
  const found = known.get(data) ?? new Obstacles(data);
  known.set(data, found);
  return found;
}

export const demoRules: Rules = {
  reads: ["Carrier"],
  step: (world, _tick, commands) => stepAmong(obstaclesIn(world), world, commands),
};
