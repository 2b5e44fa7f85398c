import assert from "node:assert/strict";
import { test } from "node:test";
import { Known } from "../../src/mirror/known.js";
import type { EntityRef } from "../../src/prediction/predicted_set.js";
import { WantedEntities, absentMax } from "../../src/prediction/wanted_entities.js";
import { SetOf, bodyAt } from "../support/set_of.js";

const mirrorNumber = 1;
const ref = (index: number, generation = 1): EntityRef => ({ index, generation });

class Wanted {
  readonly of = new SetOf();
  readonly wanted = new WantedEntities();

  list(own: EntityRef | null = null): EntityRef[] {
    const found: EntityRef[] = [];
    this.wanted.list(this.of.written.mirror, own, found);
    return found;
  }
}

test("WantedEntities.OwnThenSpawnedThenChosenEntitiesAreListed", () => {
  const all = new Wanted();
  all.of.show(bodyAt(9, 0), bodyAt(1, 0), bodyAt(5, 0));
  for (const index of [1, 9, 1]) all.wanted.choose(ref(index), true, mirrorNumber);
  all.wanted.addSpawned(ref(5));
  all.wanted.addSpawned(ref(5));
  assert.deepEqual(all.list(ref(9)), [ref(9), ref(5), ref(1)]);
  assert.deepEqual(all.list(), [ref(5), ref(9), ref(1)]);
  for (const index of [1, 5]) all.wanted.choose(ref(index), false, mirrorNumber);
  assert.deepEqual(all.list(ref(9)), [ref(9)]);
});

test("WantedEntities.AnEntityThatIsNotInTheMirrorYetIsKept", () => {
  const all = new Wanted();
  all.of.show(bodyAt(7, 0, 1));
  all.wanted.choose(ref(7, 2), true, mirrorNumber);
  assert.deepEqual(all.list(), [ref(7, 2)]);
});

test("WantedEntities.AnEntityWhoseIndexALaterOneHasIsForgotten", () => {
  const all = new Wanted();
  all.wanted.choose(ref(7, 2), true, mirrorNumber);
  all.of.show(bodyAt(7, 0, 3));
  assert.deepEqual(all.list(), []);
  assert.equal(all.wanted.chosen, 0);
});

test("WantedEntities.ADestroyedEntityIsForgotten", () => {
  const all = new Wanted();
  all.of.show(bodyAt(1, 0), bodyAt(2, 0));
  for (const index of [1, 2]) all.wanted.choose(ref(index), true, mirrorNumber);
  all.of.show(bodyAt(2, 0));
  assert.deepEqual(all.list(), [ref(1), ref(2)], "it may be out of view");
  const { state, world } = all.of.written.mirror;
  const known = Object.assign(new Known(0, world.empty), { formerIndex: 1, formerGeneration: 1, destroyed: true });
  state.former.set(1, state.known.push(known) - 1);
  assert.deepEqual(all.list(), [ref(2)]);
  assert.equal(all.wanted.chosen, 1);
});

test("WantedEntities.TheOldestOfTooManyAbsentEntitiesAreForgotten", () => {
  const all = new Wanted();
  all.of.show(bodyAt(0, 0));
  for (let index = 0; index <= absentMax + 5; ++index) all.wanted.choose(ref(index), true, mirrorNumber);
  const kept = all.list();
  assert.equal(kept.length, absentMax + 1);
  assert.deepEqual(kept.slice(0, 2), [ref(0), ref(6)]);
});

test("WantedEntities.EntitiesOfAnotherMirrorAreForgotten", () => {
  const all = new Wanted();
  all.of.show(bodyAt(1, 0));
  all.wanted.choose(ref(1), true, mirrorNumber);
  all.wanted.beginMirror(mirrorNumber);
  assert.equal(all.list().length, 1);
  all.wanted.beginMirror(mirrorNumber + 1);
  assert.deepEqual(all.list(), []);
});
