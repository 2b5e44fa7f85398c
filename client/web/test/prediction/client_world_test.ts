// The world of a client's step against that of a server: the same entities in the same order, the same random numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fnv1a32 } from "../../src/core/fnv.js";
import { OfferedLevels } from "../../src/connection/offered_levels.js";
import type { Random } from "../../src/core/random.js";
import { ClientWorld } from "../../src/prediction/client_world.js";
import { EffectTable } from "../../src/prediction/effect_table.js";
import type { Command, PredictedWorld } from "../../src/prediction/rules.js";
import { StepLevels } from "../../src/prediction/step_levels.js";
import { readLevelFile } from "../../src/resource/level_file.js";
import { courtSchema } from "../support/court_rules.js";
import { smallLevel } from "../support/level_builder.js";
import { pageRecords } from "../support/page_vectors.js";
import { newSeed, randomOf } from "../support/random.js";
import { RuledWorld } from "../support/ruled_world.js";
import { SetOf, bodyAt, entityOf } from "../support/set_of.js";

function worldOf(of: SetOf, effects = new EffectTable(), levels = new OfferedLevels()): ClientWorld {
  const world = new ClientWorld(of.written.mirror, of.set, effects, new StepLevels(levels, 8), 20, 5, 0);
  world.begin(3, 1);
  return world;
}

const command: Command = { player: 3, entity: entityOf(2), number: 7, bytes: new Uint8Array(0) };

const first = (world: PredictedWorld, key: bigint, isEntity: boolean): bigint => {
  const random = isEntity ? world.random(key) : world.randomByKey(key);
  random.next();
  return (BigInt(random.high) << 32n) | BigInt(random.low);
};

// The numbers of tests/prediction/predicted_world_test.cpp.
test("ClientWorld.RandomNumbersAreGolden", () => {
  const world = worldOf(new SetOf());
  assert.equal(first(world, 7n, false), 16482491235295156771n);
  assert.equal(first(world, entityOf(7), true), 11049579352283834812n);
});

test("ClientWorld.AnIterationReadsTheSlotsOfItsSmallestComponent", () => {
  const of = new SetOf();
  const crate = new Map([...bodyAt(60, 0).components, ["Crate", new Uint8Array(2)]]);
  const bodies = Array.from({ length: 100 }, (_, i) => bodyAt(i, i));
  of.show(...bodies.map((body, i) => (i === 60 || i === 7 ? { ...body, components: crate } : body)));
  of.rebuild(...bodies.keys());
  const world = worldOf(of);
  let reads = 0;
  const { alive } = of.set;
  of.set.alive = new Proxy(alive, { get: (target, name) => (++reads, target[Number(name)]) });
  const visited: bigint[] = [];
  world.each(["Body", "Crate"], (entity) => void visited.push(entity));
  world.eachVisible(["Crate", "Body"], (entity) => void visited.push(entity));
  assert.deepEqual(visited, [entityOf(7), entityOf(60), entityOf(7), entityOf(60)]);
  assert.equal(reads, 4, "not all bodies");
});

test("ClientWorld.AnIterationLacksWhatWasSpawnedInAnUndoneStep", () => {
  const of = new SetOf();
  of.show(bodyAt(2, 2));
  of.rebuild(2);
  const world = worldOf(of);
  const visited = (): bigint[] => {
    const all: bigint[] = [];
    world.each(["Body"], (entity) => void all.push(entity));
    return all;
  };
  const { count, nextLocal } = of.set;
  const spawned = world.spawn(command, { Body: {} });
  assert.deepEqual(visited(), [entityOf(2), spawned]);
  of.set.truncate(count, nextLocal);
  assert.deepEqual(visited(), [entityOf(2)]);
  assert.deepEqual([world.spawn(command, { Body: {} })], visited().slice(1));
});

test("ClientWorld.RandomNumbersAreThoseOfTheProtocolPage", () => {
  const [byKey, byHandle, bySpawnKey] = pageRecords("key ");
  const world = worldOf(new SetOf()); // has seed 5 and tick 3, as on the page
  const drawn = (random: Random): string =>
    Array.from({ length: 3 }, () => {
      random.next();
      return [random.high, random.low].map((half) => half.toString(16).padStart(8, "0")).join("");
    }).join(" ");
  assert.equal(drawn(world.randomByKey(7n)), byKey!.get("next"));
  assert.equal(drawn(world.random(entityOf(7))), byHandle!.get("next"));
  const thrown = { ...command, player: 4, number: 11 };
  world.spawn(thrown, { Body: {} });
  const second = world.spawn(thrown, { Body: {} });
  assert.equal(bySpawnKey!.get("spawned"), "3 4 11 1", "tick, player, number and ordinal of the second");
  assert.equal(drawn(world.random(second)), bySpawnKey!.get("next"));
  const [from, to, uniform] = byKey!.get("uniform")!.split(" ").map(Number);
  assert.equal(world.randomByKey(7n).uniform(from!, to!), Math.fround(uniform!));
  const [bound, below] = byKey!.get("below")!.split(" ").map(Number);
  assert.equal(world.randomByKey(7n).below(bound!), below);
});

test("ClientWorld.ASpawnedEntityHasTheServersNumbers", () => {
  const of = new SetOf();
  const client = worldOf(of);
  const server = new RuledWorld(courtSchema());
  server.tick = 3;
  for (const world of [client, server]) world.spawn(command, { Body: {} });
  const [local, real] = [client.spawn(command, { Body: {} }), server.spawn(command, { Body: {} })];
  assert.notEqual(local, real);
  assert.equal(first(client, local, true), first(server, real, true));
});

test("ClientWorld.WritesSteppedEntitiesAlone", () => {
  const of = new SetOf();
  of.show(bodyAt(2, 1), bodyAt(4, 2));
  of.rebuild(2);
  const world = worldOf(of);
  world.tryWrite(entityOf(2), "Body").position.x = 5;
  assert.equal(world.get(entityOf(2), "Body").position.x, 5);
  assert.equal(world.tryWrite(entityOf(4), "Body"), null);
  assert.equal(world.get(entityOf(4), "Body").position.x, 2);
  assert.throws(() => (world.get(entityOf(4), "Body").position.x = 1), /may only read/);
  assert.equal(world.tryGet(entityOf(4, 2), "Body"), null, "another generation");
  assert.equal(world.tryGet(entityOf(2), "Surface"), null);
  assert.throws(() => world.get(entityOf(2), "Surface"), /entity 2\.1 has no Surface/);
  assert.throws(() => world.tryGet(entityOf(2), "Health"), /reads Health, which Rules\.reads does not list/);
});

test("ClientWorld.SeesWhatTheMirrorHasNow", () => {
  const of = new SetOf();
  of.show(bodyAt(4, 2));
  const world = worldOf(of);
  assert.equal(world.get(entityOf(4), "Body").position.x, 2);
  of.show(bodyAt(4, 3));
  world.begin(4, 2);
  assert.equal(world.get(entityOf(4), "Body").position.x, 3);
});

test("ClientWorld.FindsStaticsOfTheLevel", () => {
  const of = new SetOf();
  const levels = new OfferedLevels();
  const world = worldOf(of, new EffectTable(), levels);
  assert.equal(world.findStaticOf("Walls"), null);
  const walls = { id: 5n, type: fnv1a32("Walls"), data: Uint8Array.of(1) };
  const level = readLevelFile(smallLevel("Hall"));
  levels.add([{ identity: level.identity, size: 1, firstTick: 4 }]);
  levels.onStored({ ...level, statics: [{ ...walls, id: 2n, type: 9 }, walls] });
  world.begin(4, 2);
  assert.equal(world.findStaticOf("Walls"), walls);
  assert.equal(world.findStatic(5n), walls);
  assert.equal(world.findStatic(6n), null);
});

test("ClientWorld.ADestroyedEntityIsHiddenThoughTheMirrorHasIt", () => {
  const of = new SetOf();
  of.show(bodyAt(2, 1), bodyAt(4, 2));
  of.rebuild(2);
  const world = worldOf(of);
  world.destroy(entityOf(2));
  world.destroy(entityOf(4)); // not stepped
  assert.ok(!world.steps(entityOf(2)) && world.tryGet(entityOf(2), "Body") === null);
  assert.ok(world.tryGet(entityOf(4), "Body") !== null);
});

test("ClientWorld.SpawnsAreBoundedAndChecked", () => {
  const of = new SetOf();
  const world = worldOf(of);
  for (let i = 0; i < 256; ++i) assert.notEqual(world.spawn(command, { Stone: { left: 4 } }), 0n);
  assert.throws(() => world.spawn(command, {}), /command 7 spawns more than 256/);
  assert.throws(() => world.spawn({ ...command, number: 8 }, { Surface: {} }), /no predicted field/);
  assert.throws(() => world.spawn({ ...command, number: 9 }, { Stone: { lft: 4 } }), TypeError);
  assert.throws(() => world.effect("bang", 1, new Uint8Array(1025)), /at most 1024 bytes/);
});

// Entities that are stepped, visible or both, spawned and destroyed: a server that steps all visits the same ones in the
// same order, as far as the client has them.
test("ClientWorld.IteratesLikeTheServer", () => {
  for (let round = 0; round < 20; ++round) {
    const seed = newSeed();
    const random = randomOf(seed);
    const of = new SetOf();
    const all = Array.from({ length: 30 }, (_, i) => i).filter(() => random() < 0.7);
    of.show(...all.map((index) => bodyAt(index, index)));
    const stepped = all.filter(() => random() < 0.4);
    of.rebuild(...stepped);
    const world = worldOf(of);
    const locals = [1, 2].map((number) => world.spawn({ ...command, number }, { Body: { position: { x: number } } }));
    const ended = stepped.filter(() => random() < 0.2);
    for (const index of ended) world.destroy(entityOf(index));
    const isLeft = (index: number): boolean => !ended.includes(index);
    const visited: bigint[] = [];
    world.each(["Body"], (entity, body) => {
      visited.push(entity);
      if (locals.includes(entity)) return;
      assert.equal(body.position.x, Number(entity & 0xffffn));
      world.eachVisible(["Body"], () => {}); // one iteration inside another
    });
    assert.deepEqual(visited, [...stepped.filter(isLeft).map((index) => entityOf(index)), ...locals], `seed ${seed}`);
    const seen: bigint[] = [];
    world.eachVisible(["Body"], (entity) => void seen.push(entity));
    assert.deepEqual(seen, [...all.filter(isLeft).map((index) => entityOf(index)), ...locals], `seed ${seed}`);
  }
});

test("ClientWorld.EachVisitsWhatWasThereWhenItBegan", () => {
  const of = new SetOf();
  of.show(bodyAt(1, 1), bodyAt(2, 2), bodyAt(3, 3));
  of.rebuild(1, 2, 3);
  const world = worldOf(of);
  const visited: bigint[] = [];
  world.each(["Body"], (entity) => {
    visited.push(entity);
    world.spawn(command, { Body: {} });
    world.destroy(entityOf(2));
  });
  assert.deepEqual(visited, [entityOf(1), entityOf(3)]);
});
