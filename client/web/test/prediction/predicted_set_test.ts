import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandTimeline } from "../../src/prediction/command_timeline.js";
import { PredictedSet } from "../../src/prediction/predicted_set.js";
import { SetComparison } from "../../src/prediction/set_comparison.js";
import { SnapshotRing } from "../../src/prediction/snapshot_ring.js";
import { newSeed, randomOf } from "../support/random.js";
import { loadSchema } from "../../src/reflect/schema.js";
import { schemaOf, structOf, type } from "../support/schema_builder.js";
import { WrittenMirror } from "../support/written_mirror.js";
import { SetOf, bodyAt, entityOf } from "../support/set_of.js";

test("PredictedSet.MembersAreInViewAndAscend", () => {
  const of = new SetOf();
  of.show(bodyAt(9, 1), bodyAt(2, 2), { ...bodyAt(5, 0), components: new Map([["Surface", new Uint8Array(4)]]) });
  of.rebuild(9, 2, 5, 77, 9);
  assert.deepEqual(of.set.handles.slice(0, of.set.count), [entityOf(2), entityOf(9)]);
  assert.deepEqual([of.x(entityOf(2)), of.x(entityOf(9))], [2, 1]);
  assert.ok(of.set.areMembersCollected());
  of.show(bodyAt(9, 1, 2), bodyAt(2, 2));
  of.collect(9, 2);
  assert.ok(!of.set.areMembersCollected(), "another generation is another entity");
});

test("PredictedSet.NamesInReadsAreChecked", () => {
  const { mirror } = new SetOf().written;
  assert.throws(() => new PredictedSet(mirror, ["Weather"], 1), { reason: "unknown component" });
  const set = new PredictedSet(mirror, ["Surface", "Body", "Surface"], 1);
  assert.equal(set.declared.length, 2, "Surface, and SpawnKey");
});

test("PredictedSet.TheFirstWantedAreKeptAtItsLimit", (t) => {
  const warn = t.mock.method(console, "warn", () => undefined);
  const of = new SetOf();
  const count = 4096 + 9;
  of.show(...Array.from({ length: count }, (_, i) => bodyAt(i, i)));
  const wanted = Array.from({ length: count }, (_, i) => count - 1 - i);
  of.rebuild(...wanted);
  of.collect(...wanted);
  assert.equal(of.set.members, 4096);
  assert.ok(of.set.slotOf(entityOf(count - 1)) >= 0);
  assert.equal(of.set.slotOf(entityOf(8)), -1);
  assert.equal(of.set.unpredicted.count, 9);
  assert.equal(warn.mock.callCount(), 1);
  assert.match(String(warn.mock.calls[0]!.arguments[0]), /9 entities are not predicted: the limit is 4096; call setPredicted/);
  of.collect(...wanted.slice(9));
  assert.equal(of.set.unpredicted.count, 0);
});

test("PredictedSet.AnotherPlayersFieldsForTheOwnerAreNotPredicted", (t) => {
  const warn = t.mock.method(console, "warn", () => undefined);
  const fieldOf = (name: string, offset: number, attributes: Readonly<Record<string, string>>) => ({
    name,
    base: type.uint,
    offset,
    attributes,
  });
  const own = { predicted: "", owner_only: "" };
  const fields = [fieldOf("place", 0, { predicted: "" }), fieldOf("fuel", 4, own)];
  const schema = schemaOf([structOf({ name: "Ship", size: 8, attributes: { component: "" }, fields })]);
  const written = new WrittenMirror(loadSchema(schema));
  const set = new PredictedSet(written.mirror, [], 1);
  const ship = (index: number, isOwner: boolean) => ({
    index,
    generation: 1,
    components: new Map([["Ship", new Uint8Array(8)]]),
    isOwner,
  });
  written.write({ tick: 1, inView: [ship(1, false), ship(2, true)], outOfView: new Set() });
  const wanted = [1, 2].map((index) => ({ index, generation: 1 }));
  set.collect(wanted, new CommandTimeline(), 0);
  set.rebuild();
  assert.deepEqual(set.handles.slice(0, set.count), [entityOf(2)]);
  assert.equal(set.unpredicted.count, 1);
  assert.match(String(warn.mock.calls[0]!.arguments[0]), /entity 1.1 is not predicted: its Ship has a predicted field/);
});

const keyNames = ["tick", "player", "command", "ordinal"] as const;

/** Returns a set for a server with another SpawnKey. */
function setWithKey(bases: readonly number[], attributes: Readonly<Record<string, string>>): PredictedSet {
  const fields = keyNames.map((name, i) => ({ name, base: bases[i]!, offset: 4 * i, attributes }));
  const schema = schemaOf([structOf({ name: "SpawnKey", size: 16, attributes: { component: "" }, fields })]);
  return new PredictedSet(new WrittenMirror(loadSchema(schema)).mirror, [], 1);
}

test("PredictedSet.AnotherSpawnKeyIsRefused", () => {
  const bases = [type.uint, type.uint, type.uint, type.ubyte];
  assert.notEqual(setWithKey(bases, {}).keys, null);
  assert.throws(() => setWithKey([...bases.slice(0, 3), type.uint], {}), { reason: "another SpawnKey" });
  assert.throws(() => setWithKey(bases, { not_sent: "" }), { reason: "another SpawnKey" });
});

test("PredictedSet.LocalHandlesAreBeyondTheServers", () => {
  const of = new SetOf();
  of.show(bodyAt(2, 2));
  of.rebuild(2);
  const [one, other] = [of.spawn(7, 1), of.spawn(8, 2)];
  assert.equal(one, entityOf(1 << 16));
  assert.equal(other, entityOf((1 << 16) + 1));
  assert.equal(of.set.findLocal({ tick: 99, player: 3, command: 8, ordinal: 0 }), 2);
  assert.equal(of.set.findLocal({ tick: 10, player: 4, command: 8, ordinal: 0 }), -1, "another player has spawned it");
  of.rebuild(2);
  assert.equal(of.set.slotOf(one), -1);
  assert.equal(of.spawn(9, 3), entityOf((1 << 16) + 2), "handles are not used again at once");
});

test("PredictedSet.LocalHandlesBeginAnewWithAnotherGeneration", () => {
  const of = new SetOf();
  for (let i = 0; i < 1 << 15; ++i) of.set.createLocal();
  of.rebuild();
  assert.equal(of.spawn(1, 0), entityOf(1 << 16, 2));
});

test("PredictedSet.ALocalEntityContinuesUnderItsRealHandle", () => {
  const of = new SetOf();
  of.show();
  of.rebuild();
  of.commands.addFrom({
    find: (n: number) => (n === 1 ? { number: 1, tick: 9 } : null),
    firstWaiting: () => 1,
  } as never);
  const local = of.spawn(1, 4);
  const key = new Uint8Array(16);
  [10, 3, 1, 0].forEach((word, i) => new DataView(key.buffer).setUint32(4 * i, word, true));
  const real = bodyAt(20, 5);
  of.show({ ...real, isOwner: true, components: new Map([...real.components, ["SpawnKey", key]]) });
  of.collect();
  assert.deepEqual(
    of.set.matched.map((each) => [each.local, each.real]),
    [[local, entityOf(20)]],
  );
  of.set.rebuild();
  assert.equal(of.x(entityOf(20)), 5);
  assert.equal(of.set.formerSlots[0], 0);
  assert.equal(of.set.keyOf(0)!.command, 1);
});

test("SetComparison.FindsTheFirstDifference", () => {
  const of = new SetOf();
  of.show(bodyAt(2, 1), bodyAt(4, 2));
  of.rebuild(2, 4);
  const ring = new SnapshotRing(of.set, 4);
  const comparison = new SetComparison(of.written.mirror, of.set);
  const compare = (...indices: number[]) => {
    ring.save(1);
    of.collect(...indices);
    return { ...comparison.compare(ring.snapshot(1)), any: comparison.any() };
  };
  assert.ok(!compare(2, 4).any);
  of.place(entityOf(4), 2.002);
  const values = compare(2, 4);
  assert.ok(values.values && !values.members && values.entity === entityOf(4));
  assert.equal(values.component!.component.name, "Body");
  of.place(entityOf(4), 2);
  const fewer = compare(2);
  assert.ok(fewer.members && !fewer.values, "it went out of view");
  of.show(bodyAt(2, 1));
  const ended = compare(2, 4);
  assert.ok(ended.members && ended.values && ended.component === null, "it was destroyed");
});

test("SetComparison.ManyEndedLocalEntitiesAreRemoved", () => {
  const of = new SetOf();
  of.show(bodyAt(2, 1));
  of.rebuild(2);
  const ring = new SnapshotRing(of.set, 4);
  const comparison = new SetComparison(of.written.mirror, of.set);
  const compare = (): boolean => {
    ring.save(1);
    of.collect(2);
    return comparison.compare(ring.snapshot(1)).members;
  };
  const spawnEnded = (command: number): void => {
    const slot = of.set.slotOf(of.spawn(command, 0));
    of.set.alive[slot] = 0;
  };
  for (let i = 0; i < 64; ++i) spawnEnded(i);
  assert.ok(!compare());
  spawnEnded(64);
  assert.ok(compare() && !comparison.found.values);
});

// A model of the ring: the positions of all entities by tick, through spawns, ends, returns and changes of the members.
test("SnapshotRing.KeepsWhatTheTicksWere", () => {
  for (let round = 0; round < 10; ++round) {
    const seed = newSeed();
    const random = randomOf(seed);
    const below = (bound: number): number => Math.floor(bound * random());
    const of = new SetOf();
    const all = [1, 4, 6, 8];
    of.show(...all.map((index) => bodyAt(index, index)));
    of.rebuild(1, 4);
    const ring = new SnapshotRing(of.set, 8);
    const model = new Map<number, Map<bigint, number>>(); // by tick
    const present = (): Map<bigint, number> => {
      const found = new Map<bigint, number>();
      for (let slot = 0; slot < of.set.count; ++slot)
        if (of.set.alive[slot] === 1) found.set(of.set.handles[slot]!, of.x(of.set.handles[slot]!));
      return found;
    };
    let tick = 20;
    const save = (): void => {
      ring.save(tick);
      model.set(tick, present());
    };
    save();
    for (let i = 0; i < 400; ++i) {
      const what = random();
      if (what < 0.6) {
        ++tick;
        if (random() < 0.2) of.spawn(i, i);
        for (const entity of present().keys()) {
          if (random() < 0.05) of.set.alive[of.set.slotOf(entity)] = 0;
          else of.place(entity, Math.fround(of.x(entity) + random()));
        }
        save();
      } else if (what < 0.9) {
        const to = tick - below(6);
        if (!ring.has(to)) continue;
        ring.restore((tick = to));
        assert.deepEqual(present(), model.get(tick), `seed ${seed}, step ${i}`);
      } else {
        of.rebuild(...all.filter(() => random() < 0.6));
        ring.rearrange(tick - 2, tick);
        for (let before = tick - 2; before < tick; ++before) {
          if (!ring.has(before)) continue;
          const snapshot = ring.snapshot(before);
          for (let slot = 0; slot < of.set.count; ++slot) {
            const was = model.get(before)!.get(of.set.handles[slot]!);
            assert.equal(snapshot.alive[slot] === 1, was !== undefined, `seed ${seed}, step ${i}`);
          }
        }
        model.clear();
        ring.clear();
        save();
      }
    }
  }
});
