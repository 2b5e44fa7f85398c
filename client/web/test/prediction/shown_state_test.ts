import assert from "node:assert/strict";
import { test } from "node:test";
import { ShownState } from "../../src/prediction/shown_state.js";
import { SnapshotRing } from "../../src/prediction/snapshot_ring.js";
import { loadSchema } from "../../src/reflect/schema.js";
import { World } from "../../src/mirror/world.js";
import { StoredRotation } from "../../src/prediction/stored_rotation.js";
import { ShownErrors, SmoothedType } from "../../src/prediction/shown_errors.js";
import { TrackedComponent } from "../../src/prediction/tracked_component.js";
import { newSeed, randomOf } from "../support/random.js";
import { schemaOfPart, type } from "../support/schema_builder.js";
import { SetOf, bodyAt, entityOf } from "../support/set_of.js";

const ship = entityOf(7);

/** A mirror with one ship, which is predicted, and snapshots that a test makes. */
class Shown extends SetOf {
  readonly ring = new SnapshotRing(this.set, 16);
  readonly shown = new ShownState(this.written.mirror, this.set, this.ring, {}, 20);

  constructor() {
    super();
    this.show(bodyAt(7, 5));
    this.rebuild(7);
  }

  save(tick: number, x: number): void {
    this.place(ship, x);
    this.ring.save(tick);
  }

  xAt(predicted: number, entity = ship): number | null {
    const body = this.shown.sample(entity, this.set.readable.get("Body")!, { predicted, view: predicted }) as any;
    return body === null ? null : body.position.x;
  }
}

const isNear = (a: number | null, b: number): void => assert.ok(a !== null && Math.abs(a - b) < 1e-5, `${a}, not ${b}`);

test("ShownState.IsBetweenTheTicksAroundTheMoment", () => {
  const of = new Shown();
  of.save(10, 1);
  of.save(11, 3);
  of.save(12, 3.5);
  assert.deepEqual(
    [10, 10.25, 11.5, 12].map((moment) => of.xAt(moment)),
    [1, 1.5, 3.25, 3.5],
  );
  assert.deepEqual([of.xAt(9.5), of.xAt(12.9)], [1, 3.5], "it stands still beyond the snapshots");
});

test("ShownState.IsNothingOnceTheStepHasDestroyedIt", () => {
  const of = new Shown();
  of.save(10, 1);
  of.set.alive[0] = 0;
  of.ring.save(11);
  assert.equal(of.xAt(10.5), null);
  assert.ok(of.shown.isDestroyed(ship, { predicted: 10.5, view: 10.5 }));
});

test("ShownState.DecaysToACorrectionAndMeasuresIt", () => {
  const of = new Shown();
  of.save(10, 1);
  of.save(11, 1);
  of.shown.capture({ predicted: 10.5, view: 10.5 });
  for (const tick of [10, 11, 12, 13, 14]) of.save(tick, 2);
  isNear(of.shown.correct({ predicted: 10.5, view: 10.5 }), 1);
  assert.equal(of.xAt(10.5), 1);
  isNear(of.xAt(12), 1.5); // the correction takes 150 ms, 3 ticks
  assert.equal(of.xAt(13.5), 2);
  of.shown.dropErrors(20);
  assert.equal(of.xAt(11), 2);
});

// The predicted moment stands still while commands wait for answers, then catches up at once.
test("ShownState.AStallNeitherHoldsACorrectionUpNorHurriesIt", () => {
  const of = new Shown();
  const body = of.set.readable.get("Body")!;
  const xAt = (predicted: number, view: number): number =>
    (of.shown.sample(ship, body, { predicted, view }) as any).position.x;
  for (const tick of [10, 11, 12, 13, 14]) of.save(tick, 1);
  of.shown.capture({ predicted: 10, view: 10 });
  for (const tick of [10, 11, 12, 13, 14]) of.save(tick, 2);
  of.shown.correct({ predicted: 10, view: 10 });
  isNear(xAt(10, 11.5), 1.5);
  isNear(xAt(14, 11.5), 1.5);
  assert.equal(xAt(10, 13), 2);
});

test("ShownState.ACorrectionBeyondTheSnapDistanceIsShownAtOnce", () => {
  const of = new Shown();
  of.save(10, 1);
  of.shown.capture({ predicted: 10, view: 10 });
  of.save(10, 6);
  of.shown.correct({ predicted: 10, view: 10 });
  assert.equal(of.xAt(10), 6);
});

test("ShownState.PassesFromTheMirrorToThePredictionAndBack", () => {
  const of = new Shown();
  of.rebuild();
  of.ring.clear();
  of.shown.capture({ predicted: 10, view: 10 });
  of.rebuild(7);
  of.save(10, 7);
  of.save(11, 7);
  of.shown.correct({ predicted: 10, view: 10 });
  assert.equal(of.xAt(10), 5);
  const later = of.xAt(11)!;
  assert.ok(later > 5 && later < 7);
  of.shown.capture({ predicted: 11, view: 11 });
  of.rebuild();
  of.shown.correct({ predicted: 11, view: 11 });
  isNear(of.xAt(11), later);
});

// When the server refuses a command, the spawns of later ones take the handles that follow.
test("ShownState.ASpawnIsFollowedToAnotherHandle", () => {
  const of = new Shown();
  const [first, second] = [of.spawn(7, 1), of.spawn(8, 5)];
  for (const tick of [10, 11]) of.ring.save(tick);
  of.shown.capture({ predicted: 10.5, view: 10.5 });
  of.set.keys!.writeKey(of.set.slotOf(first), 10, 3, 8, 0);
  of.set.truncate(2, of.set.nextLocal - 1);
  of.place(first, 6);
  for (const tick of [10, 11, 12, 13]) of.ring.save(tick);
  isNear(of.shown.correct({ predicted: 10.5, view: 10.5 }), 1);
  assert.equal(of.xAt(10.5, first), 5);
  isNear(of.xAt(12, first), 5.5);
  assert.equal(of.set.slotOf(second), -1);
});

// Whatever is corrected, the shown value is continuous at the moment of the correction, and each frame moves less than the
// whole error.
test("ShownState.IsContinuousAtRandomCorrections", () => {
  for (let round = 0; round < 20; ++round) {
    const seed = newSeed();
    const random = randomOf(seed);
    const of = new Shown();
    let [tick, x] = [100, 0];
    of.save(tick, x);
    for (let i = 0; i < 200; ++i) {
      const predicted = tick - random();
      of.save(++tick, (x += 0.4 * random() - 0.2));
      const before = of.xAt(predicted)!;
      if (random() > 0.3) continue;
      of.shown.capture({ predicted, view: predicted });
      const offset = 2 * random() - 1;
      for (let at = tick - 3; at <= tick; ++at) if (of.ring.has(at)) of.save(at, x + offset);
      x += offset;
      of.shown.correct({ predicted, view: predicted });
      assert.ok(Math.abs(of.xAt(predicted)! - before) < 1e-4, `seed ${seed}, step ${i}`);
    }
  }
});

test("ShownErrors.FollowEntitiesToTheirNewHandles", () => {
  const { set } = new SetOf();
  const body = set.readable.get("Body")!;
  const errors = new ShownErrors([new SmoothedType(body, 4, 4, "position")]);
  const { rows } = body;
  const give = (entity: bigint, shown: number): void => {
    rows.row(0).position.x = shown;
    rows.row(1).position.x = 1;
    errors.set(entity, 0, rows.views, 0, 1, 10, 4);
  };
  const shown = (entity: bigint): number => {
    rows.row(2).position.x = 1;
    errors.apply(entity, 0, 10, rows.views, 2);
    return rows.row(2).position.x;
  };
  const [other, third] = [entityOf(8), entityOf(9)];
  give(ship, 3);
  give(other, 5);
  errors.rename(
    new Map([
      [ship, other],
      [other, third],
    ]),
  );
  assert.deepEqual([shown(ship), shown(other), shown(third)], [1, 3, 5]);
  errors.rename(new Map([[other, 0n]]));
  assert.equal(shown(other), 1);
  assert.equal(errors.size, 1);
  errors.drop(13.9);
  assert.equal(errors.size, 1);
  errors.drop(14);
  assert.equal(errors.size, 0);
});

test("ShownErrors.VelocitiesDoNotSnapAPosition", () => {
  const { set } = new SetOf();
  const body = set.readable.get("Body")!;
  const type = new SmoothedType(body, 4, 4, "position");
  const { rows } = body;
  const error = new Float32Array(16);
  rows.row(0).position.x = 1.73;
  rows.row(0).velocity.x = 8;
  rows.row(1).position.x = 1;
  assert.ok(type.difference(rows.views, 0, 1, error));
  rows.row(0).position.x = 5.5;
  assert.ok(!type.difference(rows.views, 0, 1, error));
});

// A correction is shown while the server's entity takes the place of the local one.
test("ShownState.AnErrorOfASpawnContinuesUnderItsNewHandle", () => {
  const of = new Shown();
  const [first, second] = [of.spawn(7, 1), of.spawn(8, 5)];
  for (const tick of [10, 11]) of.ring.save(tick);
  of.shown.capture({ predicted: 10, view: 10 });
  of.place(second, 6);
  for (const tick of [10, 11]) of.ring.save(tick);
  of.shown.correct({ predicted: 10, view: 10 });
  assert.equal(of.xAt(10, second), 5);
  of.shown.capture({ predicted: 10, view: 10 });
  of.set.keys!.writeKey(of.set.slotOf(first), 10, 3, 8, 0);
  of.set.truncate(2, of.set.nextLocal - 1);
  of.place(first, 6);
  for (const tick of [10, 11]) of.ring.save(tick);
  of.shown.correct({ predicted: 10, view: 10 });
  assert.equal(of.xAt(10, first), 5);
});

/** Rows of one rotation: a unit quaternion, or four integers. */
function rotations(isInteger: boolean): { tracked: TrackedComponent; stored: StoredRotation } {
  const number = (name: string, i: number, attributes: Record<string, string>) => ({
    name,
    base: isInteger ? type.ushort : type.float,
    offset: (isInteger ? 2 : 4) * i,
    attributes,
  });
  const code = { bits: "12" };
  const inner = isInteger
    ? [number("most", 0, { range: "0 3" }), ...["a", "b", "c"].map((name, i) => number(name, i + 1, code))]
    : [..."xyzw"].map((name, i) => number(name, i, {}));
  const attributes = isInteger ? { smallest_three: "" } : { unit_quaternion: "", bits: "12", default: "0 0 0 1" };
  const fields = [
    { name: "turn", base: type.struct, struct: 1, offset: 0, attributes: { ...attributes, predicted: "" } },
  ];
  const size = isInteger ? 8 : 16;
  const schema = loadSchema(schemaOfPart({ size, fields }, { name: "Turn", size, fields: inner }));
  const world = new World(schema, 10);
  const tracked = new TrackedComponent(world, [...schema.components.values()][0]!, true);
  return { tracked, stored: StoredRotation.allOf(tracked.component, tracked.layout)[0]! };
}

for (const isInteger of [false, true])
  test(`ShownErrors.RotationsTurnTheShortestWay_${isInteger ? "Integers" : "Floats"}`, () => {
    const { tracked, stored } = rotations(isInteger);
    const errors = new ShownErrors([new SmoothedType(tracked, 4, 4, "position")]);
    const { views } = tracked.rows;
    const put = (slot: number, angle: number): void =>
      stored.store(Float64Array.of(0, Math.sin(angle / 2), 0, Math.cos(angle / 2)), views, slot);
    const wrap = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
    const out = new Float64Array(4);
    const angleAt = (moment: number, to: number): number => {
      put(2, to);
      errors.apply(ship, 0, moment, views, 2);
      assert.ok(stored.load(views, 2, out));
      return 2 * Math.atan2(out[1]!, out[3]!);
    };
    for (const from of [0.3, -0.3, 2, -2])
      for (const to of [0, 0.8, 3, -3]) {
        put(0, from);
        put(1, to);
        errors.set(ship, 0, views, 0, 1, 10, 4);
        const whole = wrap(from - to);
        assert.ok(Math.abs(wrap(angleAt(10, to) - from)) < 2e-3, `${from} to ${to}`);
        const left = wrap(angleAt(12, to) - to);
        assert.ok(Math.abs(left) < 0.8 * Math.abs(whole) && left / whole > 0.2, `${from} to ${to}`);
        assert.ok(Math.abs(wrap(angleAt(14, to) - to)) < 2e-3);
      }
  });
