// A module of trial rules (tests/client/web/trial_rules.cpp): each function of a step, and each way to fail.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Random } from "../../src/core/random.js";
import { Refusal } from "../../src/core/refusal.js";
import { hashHigh, hashLow, xxh3 } from "../../src/core/xxh3.js";
import { type RulesModule, loadRules } from "../../src/rules_module/rules_module.js";
import { demoSchema } from "../support/demo_schema.js";
import { PlainWorld, type PlainEntity, handleOf } from "../support/module_world.js";
import { hasModules, loadModule, moduleBytes } from "../support/modules.js";
import { fnv1a32 } from "../../src/core/fnv.js";

/** A world with a player's entity, and trial rules that a command of one letter runs. */
class Trial {
  readonly world = new PlainWorld(demoSchema());
  readonly own: PlainEntity;
  private number = 0;

  constructor(readonly rules: RulesModule) {
    this.world.create({ Velocity: { linear: { x: 1, y: 0, z: 0 } } }, this.world.visible);
    this.own = this.world.create({ Velocity: { linear: { x: 2, y: 0, z: 0 } }, Walker: {} });
    this.world.create({ Velocity: { linear: { x: 3, y: 0, z: 0 } } }, this.world.visible);
    this.world.create({ Walker: {} });
  }

  step(letter: string): void {
    const bytes = new TextEncoder().encode(letter);
    this.world.effects.length = 0;
    this.rules.step(this.world, this.world.tick, [{ player: 1, entity: handleOf(this.own), number: ++this.number, bytes }]);
  }

  /** Returns the payload of the effect that a step shows. */
  shown(letter: string): Uint8Array {
    this.step(letter);
    assert.deepEqual(
      this.world.effects.map(({ name, key }) => [name, key]),
      [["shown", BigInt(this.number)]],
    );
    return this.world.effects[0]!.payload;
  }

  /** Returns the message with which a step is refused. */
  refused(letter: string): string {
    const before = this.world.stepped.map(({ rows }) => [...rows.values()].map((row) => row.slice()));
    let message = "";
    assert.throws(
      () => this.step(letter),
      (error: Refusal) => ((message = error.message), error instanceof Refusal && error.reason === "rules failed"),
    );
    const after = this.world.stepped.map(({ rows }) => [...rows.values()]);
    assert.deepEqual(after, before, "a step that fails has changed nothing");
    assert.equal(this.world.effects.length, 0);
    return message;
  }
}

const start = async (): Promise<Trial> => new Trial(await loadModule("trial_rules"));
const reasonOf = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  loadRules(bytes).then(
    () => "",
    (error: Refusal) => error.reason,
  );

function keyed(world: PlainWorld, kind: bigint, high: bigint, key: bigint): Random {
  const words = BigUint64Array.of((BigInt(world.tick) << 32n) | kind, high, key);
  xxh3(new Uint8Array(words.buffer), 24, world.seedLow, world.seedHigh);
  return new Random((BigInt(hashHigh) << 32n) | BigInt(hashLow));
}

function next(random: Random): bigint {
  random.next();
  return (BigInt(random.high) << 32n) | BigInt(random.low);
}

describe("a module of rules", { skip: !hasModules }, () => {
  test("RulesModule.ListsWhatItReadsBeforeAStep", async () => {
    const rules = await loadModule("demo_rules");
    assert.deepEqual(rules.reads, ["Carrier"]);
    rules.check(demoSchema());
  });

  test("RulesModule.DrawsTheRandomNumbersOfTheWorld", async () => {
    const trial = await start();
    const { index, generation } = trial.own;
    const ofEntity = keyed(trial.world, 1n, BigInt(generation), BigInt(index));
    const ofKey = keyed(trial.world, 0n, 0n, 0x123456789abcdef0n);
    const expected = [next(ofEntity), next(ofEntity), next(ofKey), BigInt(ofKey.below(1000))];
    assert.deepEqual([...new BigUint64Array(trial.shown("r").buffer)], expected);
  });

  test("RulesModule.SeesSteppedAndOtherEntitiesInOrder", async () => {
    const trial = await start();
    const seen = [...new Uint32Array(trial.shown("v").buffer)];
    assert.deepEqual(seen, [1, 0, 1, 2, 1, 2, 3, 0, 3], "index, stepped, velocity");
  });

  test("RulesModule.SeesManyEntitiesInOrder", async () => {
    for (let seed = 1n; seed <= 20n; ++seed) {
      const random = new Random(seed);
      const trial = await start();
      const count = random.below(80);
      for (let i = 0; i < count; ++i)
        trial.world.create({ Velocity: {} }, random.chance(1, 3) ? trial.world.stepped : trial.world.visible);
      trial.world.visibleVersion = Number(seed);
      const seen = [...new Uint32Array(trial.shown("v").buffer)].filter((_, i) => i % 3 === 0);
      const expected = Array.from({ length: count + 4 }, (_, i) => i + 1).filter((index) => index !== 4);
      assert.deepEqual(seen, expected, `seed ${seed}`);
    }
  });

  test("RulesModule.VisibleEntitiesAreThoseOfTheVersion", async () => {
    const trial = await start();
    const count = (): number => trial.shown("v").length / 12;
    assert.equal(count(), 3);
    trial.world.create({ Velocity: {} }, trial.world.visible);
    assert.equal(count(), 3);
    ++trial.world.visibleVersion;
    assert.equal(count(), 4);
    trial.refused("t");
    assert.equal(count(), 4, "in another instance");
    trial.world.statics = [{ id: 1n, type: 1, data: new Uint8Array(1000) }];
    assert.equal(count(), 4, "with another level");
    const other = new Trial(trial.rules);
    other.world.visibleVersion = trial.world.visibleVersion;
    assert.equal(other.shown("v").length / 12, 3, "in another world");
    assert.equal(count(), 4);
  });

  test("RulesModule.ReadsStaticsOfTheNewestLevel", async () => {
    const trial = await start();
    trial.step("l");
    assert.equal(trial.world.effects.length, 0, "no level");
    for (const id of [5n, 2n ** 63n]) {
      const data = Uint8Array.of(1, 2, Number(id & 7n));
      trial.world.statics = [
        { id: 1n, type: 7, data: Uint8Array.of(9) },
        { id, type: fnv1a32("Obstacles"), data },
      ];
      for (let i = 0; i < 3; ++i) assert.deepEqual(trial.shown("l"), data);
    }
  });

  test("RulesModule.SpawnsAndDestroysInTheWorld", async () => {
    const trial = await start();
    trial.step("s");
    const { stepped } = trial.world;
    assert.deepEqual(
      stepped.map(({ index, rows }) => [index, [...rows.keys()]]),
      [
        [4, ["Walker"]],
        ...[6, 7, 8, 9, 10].map((index) => [index, ["Velocity", "SpawnKey"]]),
      ],
      "the first of six, and the player's, are destroyed",
    );
    assert.equal(trial.world.row(stepped[0]!, "Walker").rest, 7);
    const shown = stepped.slice(1).map((each): number => trial.world.row(each, "Velocity").linear.x);
    assert.deepEqual(shown, [1, 2, 0, 1, 2]);
  });

  test("RulesModule.SpawnsNothingInAFullWorld", async () => {
    const trial = await start();
    trial.world.spawnedEnd = 8; // three more
    trial.step("s");
    assert.deepEqual(
      trial.world.stepped.map(({ index }) => index),
      [4, 6, 7],
    );
  });

  test("RulesModule.ReportsOnlyRowsThatAStepWrites", async () => {
    const trial = await start();
    const written: string[] = [];
    trial.world.writeRow = (entity, component) => void written.push(`${entity & 0xffff_ffffn} ${component}`);
    trial.step("v");
    assert.deepEqual(written, ["2 Velocity"]);
  });

  test("RulesModule.FailedStepsAreRefusedAndChangeNothing", async () => {
    const trial = await start();
    assert.match(trial.refused("g"), /entity 2\.1 is dead or has no component Stone/);
    assert.match(trial.refused("h"), /the step reads Health, which Rules::reads does not list/);
    assert.match(trial.refused("t"), /trapped in tick 1: unreachable/);
    assert.match(trial.refused("d"), /trapped in tick 1/);
    assert.match(trial.refused("m"), /memory is full/);
    assert.match(trial.refused("e"), /effect [0-9]+, which Rules::effects does not list/);
    assert.equal(trial.rules.statistics.failures, 6);
    assert.equal(trial.shown("v").length, 36, "the next step runs");
    assert.equal(trial.rules.statistics.steps, 7);
  });

  test("RulesModule.CountsStepsThatTakeTooLong", async () => {
    const rules = await loadRules(moduleBytes("trial_rules"), { slowStepMs: -1 });
    const trial = new Trial(rules);
    trial.step("v");
    assert.equal(rules.statistics.slowSteps, 1);
    assert.ok(rules.statistics.longestStepMs >= 0);
  });

  test("RulesModule.UsesTheSameMemoryForEachStep", async () => {
    const memories: WebAssembly.Memory[] = [];
    const { Instance } = WebAssembly;
    WebAssembly.Instance = class extends Instance {
      constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
        super(module, imports);
        memories.push(this.exports["memory"] as WebAssembly.Memory);
      }
    };
    const trial = await start().finally(() => void (WebAssembly.Instance = Instance));
    trial.step("v");
    const { byteLength } = memories[0]!.buffer;
    for (let i = 0; i < 2000; ++i) trial.step("v");
    assert.equal(memories[0]!.buffer.byteLength, byteLength);
    assert.equal(memories.length, 1);
  });

  test("RulesModule.AnotherSchemaIsRefusedByTheField", async () => {
    const rules = await loadModule("demo_rules");
    const refusal = (change: (name: string, fields: { offset: number; predicted: boolean }[]) => number): string => {
      const schema = demoSchema();
      const components = new Map(
        [...schema.components].map(([id, component]) => {
          const fields = component.fields.map((field) => ({ ...field }));
          return [id, { ...component, size: component.size + change(component.name, fields), fields }];
        }),
      );
      let message = "";
      assert.throws(
        () => rules.check({ ...schema, components }),
        (error: Refusal) => ((message = error.message), error.reason === "other schema"),
      );
      return message;
    };
    assert.match(
      refusal((name, fields) => (name === "Pose" ? (fields[1]!.offset = 8) - 8 : 0)),
      /Pose has position\.y:float32@4 in the module, position\.y:float32@8 in the schema/,
    );
    assert.match(refusal((name) => (name === "Walker" ? 4 : 0)), /Walker has 12 bytes in the module, 16 in the schema/);
    assert.match(
      refusal((name, fields) => (name === "Stone" ? fields.splice(3).length * 0 : 0)),
      /Stone has command:uint32@12 in the module, no further field in the schema/,
    );
    assert.match(
      refusal((name, fields) => (name === "Velocity" ? fields.forEach((field) => (field.predicted = false)) : undefined, 0)),
      /Velocity has predicted fields in the module alone/,
    );
  });

  test("RulesModule.DamagedModulesAreRefused", async () => {
    const whole = moduleBytes("demo_rules");
    assert.equal(await reasonOf(whole), "");
    for (let size = 0; size < whole.length; size += 97)
      assert.equal(await reasonOf(whole.slice(0, size)), "module not compiled");
    const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    assert.equal(await reasonOf(empty), "not a rules module", "it has no functions");
    const foreign = Uint8Array.of(...empty, 1, 4, 1, 0x60, 0, 0, 2, 7, 1, 1, 0x61, 1, 0x62, 0, 0);
    assert.equal(await reasonOf(foreign), "not a rules module", "it imports a.b");
  });
});
