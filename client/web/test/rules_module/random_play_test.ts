// The module of the demo's rules gives the words of those in C++: a hash of long random play, the same as that of a client
// in tests/examples/demo/rules/rules_test.cpp.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Move, Throw, WalkTo } from "../../demo/demo_commands.js";
import { Random } from "../../src/core/random.js";
import { hashHigh, hashLow, xxh3 } from "../../src/core/xxh3.js";
import { encode } from "../../src/messages.js";
import type { RulesModule } from "../../src/rules_module/rules_module.js";
import { obstaclesOf, randomShapes } from "../support/demo_obstacles.js";
import { demoSchema } from "../support/demo_schema.js";
import { PlainWorld, type PlainEntity, handleOf } from "../support/module_world.js";
import { hasModules, loadModule } from "../support/modules.js";
import { readText } from "../support/repository.js";
import { fnv1a32 } from "../../src/core/fnv.js";

const f = Math.fround;
const players = 5;
const source = "tests/examples/demo/rules/rules_test.cpp";

class RandomPlay {
  readonly world = new PlainWorld(demoSchema());
  impacts = 0;
  private readonly avatars: PlainEntity[] = [];
  private readonly random = new Random(1n);
  private number = 0;
  private low = 0;
  private high = 0;

  constructor(private readonly rules: RulesModule) {
    const data = obstaclesOf(randomShapes(this.random, 120, 30));
    this.world.statics = [{ id: 1n, type: fnv1a32("Obstacles"), data }];
    for (let i = 0; i < players; ++i) {
      const [x, z] = [this.random.uniform(-30, 30), this.random.uniform(-30, 30)];
      const place = { position: { x, y: 0, z }, rotation: { x: 0, y: 0, z: 0, w: 1 } };
      this.avatars.push(this.world.create({ Pose: place, Velocity: {}, Walker: {} }));
    }
  }

  private giveCommands(): { player: number; entity: bigint; number: number; bytes: Uint8Array }[] {
    const { random } = this;
    const side = f(0.7);
    const given: ReturnType<RandomPlay["giveCommands"]> = [];
    const give = (player: number, bytes: Uint8Array): void =>
      void given.push({ player: player + 1, entity: handleOf(this.avatars[player]!), number: ++this.number, bytes });
    for (let i = 0; i < players; ++i) {
      if (!random.chance(1, 12)) continue;
      const [x, z] = [random.uniform(-side, side), random.uniform(-side, side)];
      const choice = random.below(4);
      if (choice === 0) give(i, encode(Move, { x, z }));
      else if (choice === 1) give(i, encode(WalkTo, { x: f(40 * x), z: f(40 * z) }));
      else give(i, encode(Throw, { x, y: random.uniform(f(-0.1), side), z }));
    }
    return given;
  }

  private hash(bytes: Uint8Array, low = this.low, high = this.high): void {
    xxh3(bytes, bytes.length, low, high);
    this.low = hashLow;
    this.high = hashHigh;
  }

  tick(): void {
    const { world } = this;
    world.effects.length = 0;
    this.rules.step(world, world.tick, this.giveCommands());
    world.round();
    const stones = world.stepped.filter(({ rows }) => rows.has("Stone"));
    for (const { rows } of [...this.avatars, ...stones]) {
      this.hash(rows.get("Pose")!);
      this.hash(rows.get("Velocity")!);
    }
    for (const { name, key, payload } of world.effects) {
      const [low, high] = [Number(key & 0xffff_ffffn), Number(key >> 32n)];
      this.hash(payload, (this.low ^ low) >>> 0, (this.high ^ high) >>> 0);
      if (name === "impact") ++this.impacts;
    }
  }

  result(): string {
    return ((BigInt(this.high) << 32n) | BigInt(this.low)).toString(16);
  }
}

test("RulesModule.RandomPlayGivesTheWordsOfCpp", { skip: !hasModules }, async () => {
  const cpp = readText(source);
  const ticks = Number(/ticks = ([0-9']+);/.exec(cpp)![1]!.replaceAll("'", ""));
  const golden = /golden_of_client = 0x([0-9a-f]+);/.exec(cpp)![1]!;
  const rules = await loadModule("demo_rules");
  const play = new RandomPlay(rules);
  for (let i = 0; i < ticks; ++i) play.tick();
  console.log(`longest step ${rules.statistics.longestStepMs} ms`);
  assert.ok(ticks >= 100_000 && play.impacts > 1000);
  assert.equal(play.result(), golden);
});
