// The demo's rules in TypeScript give the words of those in C++: a hash of long random play, the same as that of
// tests/examples/demo/rules/rules_test.cpp.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Move, Throw, WalkTo } from "../../demo/demo_commands.js";
import { Random } from "../../src/core/random.js";
import { hashHigh, hashLow, xxh3 } from "../../src/core/xxh3.js";
import { encode } from "../../src/messages.js";
import { readText } from "../support/repository.js";
import { Obstacles, obstaclesOf, randomShapes } from "../support/demo_obstacles.js";
import { stepAmong } from "../support/demo_rules.js";
import { demoSchema, hasDemoSchema } from "../support/demo_schema.js";
import { RuledWorld } from "../support/ruled_world.js";

const f = Math.fround;
const players = 5;
const source = "tests/examples/demo/rules/rules_test.cpp";

class RandomPlay {
  readonly world = new RuledWorld(demoSchema());
  readonly avatars: bigint[] = [];
  impacts = 0;
  private readonly random = new Random(1n);
  private readonly obstacles: Obstacles;
  private given: { player: number; number: number; bytes: Uint8Array }[] = [];
  private number = 0;
  private low = 0;
  private high = 0;

  constructor() {
    this.obstacles = new Obstacles(obstaclesOf(randomShapes(this.random, 120, 30)));
    for (let i = 0; i < players; ++i) {
      const [x, z] = [this.random.uniform(-30, 30), this.random.uniform(-30, 30)];
      const place = { position: { x, y: 0, z }, rotation: { x: 0, y: 0, z: 0, w: 1 } };
      this.avatars.push(this.world.create({ Transform: place, Pose: place, Velocity: {}, Walker: {} }));
    }
  }

  private give(avatar: number, bytes: Uint8Array): void {
    this.given.push({ player: avatar + 1, number: ++this.number, bytes });
  }

  private giveCommands(): void {
    const { random } = this;
    const side = f(0.7);
    for (let i = 0; i < players; ++i) {
      if (!random.chance(1, 12)) continue;
      const [x, z] = [random.uniform(-side, side), random.uniform(-side, side)];
      const choice = random.below(4);
      if (choice === 0) this.give(i, encode(Move, { x, z }));
      else if (choice === 1) this.give(i, encode(WalkTo, { x: f(40 * x), z: f(40 * z) }));
      else this.give(i, encode(Throw, { x, y: random.uniform(f(-0.1), side), z }));
    }
  }

  private hash(bytes: Uint8Array, low = this.low, high = this.high): void {
    xxh3(bytes, bytes.length, low, high);
    this.low = hashLow;
    this.high = hashHigh;
  }

  tick(): void {
    this.giveCommands();
    this.given.sort((a, b) => a.player - b.player || a.number - b.number);
    const commands = this.given.map((each) => ({ ...each, entity: this.avatars[each.player - 1]! }));
    this.given = [];
    this.world.run(() => stepAmong(this.obstacles, this.world, commands));
    for (const entity of [...this.avatars, ...this.world.entities("Stone")]) {
      this.hash(this.world.bytesOf(entity, "Pose"));
      this.hash(this.world.bytesOf(entity, "Velocity"));
    }
    for (const { name, key, payload } of this.world.effects) {
      const [low, high] = [Number(key & 0xffff_ffffn), Number(key >> 32n)];
      this.hash(payload, (this.low ^ low) >>> 0, (this.high ^ high) >>> 0);
      if (name === "impact") ++this.impacts;
    }
  }

  result(): bigint {
    return (BigInt(this.high) << 32n) | BigInt(this.low);
  }
}

test("DemoRules.RandomPlayGivesTheWordsOfCpp", { skip: !hasDemoSchema }, () => {
  const cpp = readText(source);
  const ticks = Number(/ticks = ([0-9']+);/.exec(cpp)![1]!.replaceAll("'", ""));
  const golden = BigInt(/golden = (0x[0-9a-f]+);/.exec(cpp)![1]!);
  const play = new RandomPlay();
  for (let i = 0; i < ticks; ++i) play.tick();
  assert.ok(ticks >= 10_000 && play.impacts > 1000);
  assert.equal(play.result().toString(16), golden.toString(16));
});
