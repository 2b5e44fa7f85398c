import assert from "node:assert/strict";
import { test } from "node:test";
import { EffectTable, effectKey, effectsMax } from "../../src/prediction/effect_table.js";
import { entityOf } from "../support/set_of.js";
import { newSeed, randomOf } from "../support/random.js";

const nothing = new Uint8Array(0);
const emit = (table: EffectTable, key: number, tick: number): void => table.emit("bang", BigInt(key), tick, nothing);
const kinds = (table: EffectTable): string[] => table.notices.map(({ kind }) => kind);

test("EffectTable.BeginsAnEffectOnceAndConfirmsIt", () => {
  const table = new EffectTable();
  table.beginPass(0);
  emit(table, 1, 1);
  emit(table, 1, 1);
  table.beginPass(0);
  emit(table, 1, 1);
  table.settle(1);
  table.settle(2);
  assert.deepEqual(kinds(table), ["started", "confirmed"]);
  emit(table, 1, 3);
  assert.deepEqual(kinds(table), ["started", "confirmed"], "it is remembered");
});

test("EffectTable.CancelsWhatTheLastReplayLacks", () => {
  const table = new EffectTable();
  table.beginPass(9);
  emit(table, 1, 10);
  table.clearNotices();
  table.beginPass(9);
  assert.deepEqual(kinds(table), []);
  table.settle(10);
  assert.deepEqual(kinds(table), ["cancelled"]);
});

test("EffectTable.FollowsAnEffectToALaterTick", () => {
  const table = new EffectTable();
  table.beginPass(9);
  emit(table, 1, 10);
  table.clearNotices();
  table.beginPass(9);
  emit(table, 1, 12);
  table.settle(11);
  assert.deepEqual(kinds(table), []);
  table.settle(12);
  assert.deepEqual(kinds(table), ["confirmed"]);
  assert.equal(table.notices[0]!.tick, 12);
});

test("EffectTable.KeepsThePayload", () => {
  const table = new EffectTable();
  const payload = Uint8Array.of(7, 8);
  table.emit("bang", 1n, 1, payload);
  payload[0] = 0;
  table.settle(1);
  for (const notice of table.notices) assert.deepEqual([...notice.payload], [7, 8]);
});

test("EffectTable.DropsWhatDoesNotFitAndRecovers", () => {
  const table = new EffectTable();
  for (let key = 0; key < effectsMax + 3; ++key) emit(table, key, 1);
  assert.equal(table.running(), effectsMax);
  assert.equal(table.dropped, 3);
  table.settle(1 + 128 + 1);
  emit(table, 999, 200);
  assert.equal(table.running(), 1);
  assert.equal(table.dropped, 3);
});

// Twelve effects in each tick, which are computed 22 ticks ahead of the reconciled one and again at random.
test("EffectTable.ALivelyClientBeginsEachEffectOnce", () => {
  const [perTick, ahead] = [12, 22];
  const random = randomOf(1);
  const table = new EffectTable();
  let [begun, confirmed] = [0, 0];
  for (let last = ahead + 1; last <= 500; ++last) {
    const from = random() < 1 / 4 ? last - ahead : last - 1;
    table.clearNotices();
    table.beginPass(from);
    for (let tick = from + 1; tick <= last; ++tick)
      for (let i = 0; i < perTick; ++i) emit(table, 256 * tick + i, tick);
    table.settle(last - ahead);
    for (const kind of kinds(table)) kind === "started" ? ++begun : ++confirmed;
  }
  assert.ok(begun >= perTick * (500 - ahead));
  assert.equal(begun - confirmed, perTick * ahead);
  assert.equal(table.dropped, 0);
});

test("EffectTable.ANewEffectTakesThePlaceOfTheOldestEnded", () => {
  const table = new EffectTable();
  for (let key = 0; key < effectsMax; ++key) emit(table, key, key < 2 ? 1 : 2);
  table.settle(1);
  table.clearNotices();
  emit(table, 9999, 3);
  emit(table, 9998, 3);
  assert.deepEqual(kinds(table), ["started", "started"]);
  assert.equal(table.dropped, 0);
  emit(table, 9997, 3);
  assert.equal(table.dropped, 1, "all others run");
  for (let key = 2; key < effectsMax; ++key) emit(table, key, 2);
  assert.equal(table.notices.length, 2, "none has begun again");
});

test("EffectTable.ARecurringEffectBeginsEachTimeByItsTick", () => {
  const table = new EffectTable();
  let begun = 0;
  for (let tick = 1; tick <= 1000; ++tick) {
    table.clearNotices();
    if (tick % 40 === 0) table.emit("jump", effectKey(entityOf(7), tick), tick, nothing);
    begun += kinds(table).filter((kind) => kind === "started").length;
    table.settle(tick);
  }
  assert.equal(begun, 25);
});

test("EffectTable.ACancelledEffectDoesNotBeginAgain", () => {
  const table = new EffectTable();
  emit(table, 1, 1);
  table.cancelRunning();
  assert.deepEqual(kinds(table), ["started", "cancelled"]);
  table.beginPass(1);
  emit(table, 1, 3);
  table.settle(3);
  assert.equal(table.notices.length, 2);
});

test("EffectTable.AnEndedEffectIsRememberedWhileItIsEmitted", () => {
  const table = new EffectTable();
  emit(table, 1, 1);
  table.cancelRunning();
  for (const tick of [150, 151]) {
    table.beginPass(tick - 1);
    emit(table, 1, tick);
    table.settle(tick);
  }
  assert.deepEqual(kinds(table), ["started", "cancelled"]);
  table.settle(151 + 128);
  emit(table, 1, 300);
  assert.equal(table.running(), 0);
  table.settle(300 + 128 + 1);
  emit(table, 1, 430);
  assert.equal(table.running(), 1, "it is forgotten");
});

test("EffectTable.CancelsAllInTheEnd", () => {
  const table = new EffectTable();
  emit(table, 1, 1);
  table.settle(1);
  emit(table, 2, 2);
  table.clearNotices();
  table.clear();
  assert.deepEqual(kinds(table), ["cancelled"]);
  emit(table, 2, 2);
  assert.equal(table.running(), 1, "names and keys begin anew");
});

// A history whose ticks are computed again at random, with other effects each time. The effects of a tick's last
// computation before it is settled are the truth.
test("EffectTable.EndsEachEffectAsTheLastReplayHadIt", () => {
  for (let round = 0; round < 12; ++round) {
    const seed = newSeed();
    const random = randomOf(seed);
    const below = (bound: number): number => Math.floor(bound * random());
    const table = new EffectTable();
    const history = new Map<number, Set<number>>();
    const begun = new Set<number>();
    const ended = new Map<number, string>();
    const follow = (): void => {
      for (const { kind, key } of table.notices) {
        const id = Number(key);
        assert.equal(begun.has(id), kind !== "started", `seed ${seed}`);
        if (kind === "started") begun.add(id);
        else assert.ok(!ended.has(id) && ended.set(id, kind), `seed ${seed}`);
      }
      table.clearNotices();
    };
    for (let i = 0, settled = 0, last = 0; i < 300; ++i) {
      const next = last + below(3);
      const from = random() < 1 / 3 ? settled + below(last - settled + 1) : last;
      table.beginPass(from);
      for (let tick = from + 1; tick <= next; ++tick) {
        const keys = [0, 1, 2].filter(() => random() < 1 / 3).map((key) => 4 * tick + key);
        history.set(tick, new Set(keys));
        for (const key of keys) emit(table, key, tick);
      }
      last = next;
      follow();
      if (random() < 0.5) settled += below(last - settled + 1);
      table.settle(settled);
      follow();
      for (const key of begun) {
        const tick = Math.floor(key / 4);
        const expected = tick > settled ? undefined : history.get(tick)!.has(key) ? "confirmed" : "cancelled";
        assert.equal(ended.get(key), expected, `seed ${seed}`);
      }
    }
  }
});
