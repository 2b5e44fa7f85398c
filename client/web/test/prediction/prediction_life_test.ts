// A prediction through what happens to it: late commands, pauses, refusals, remote changes, other mirrors.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Component } from "../../src/connection/component.js";
import { describe } from "../../src/prediction/misprediction.js";
import { Court, type Guest, near, poor } from "../support/court.js";
import { courtRules, courtThrow, courtWalk } from "../support/court_rules.js";
import { newSeed, randomOf } from "../support/random.js";

const courtOf = (crates: number, conditions = near, seed = 1): Court =>
  new Court(crates, { ...conditions }, randomOf(seed));

function expectAgreement(court: Court, guest: Guest): void {
  for (const component of ["Body", "Heading", "Thrower"]) assert.ok(guest.agrees(guest.avatar, component), component);
  for (const crate of court.crates)
    if (guest.prediction.predicted(crate)) assert.ok(guest.agrees(crate, "Body") && guest.agrees(crate, "Crate"));
  assert.equal(guest.effects.faults, 0);
  assert.equal(guest.effects.running(), 0);
  assert.equal(guest.prediction.spawns.locals.length, 0);
}

const lastOf = ({ prediction }: Guest): string =>
  prediction.lastMisprediction === null ? "none" : describe(prediction.lastMisprediction);

test("Prediction.ACommandTakesEffectInTheFrameAfterIt", () => {
  const court = courtOf(0);
  const guest = court.joinSettled();
  const before = guest.shown().position.x;
  guest.send(courtWalk(1, 0));
  court.step();
  // The shown moment is a tick behind the newest one.
  court.step();
  court.step();
  court.step();
  assert.ok(guest.shown().position.x > before);
  assert.equal(court.body(guest.avatar).velocity.x, 0);
});

test("Prediction.NothingIsCorrectedWhereAllGoesAsPredicted", () => {
  const court = courtOf(2);
  const guest = court.joinSettled();
  for (const crate of court.crates) guest.prediction.setPredicted(crate, true);
  court.play(400);
  assert.deepEqual(guest.prediction.statistics.mispredictions, { late: 0, level: 0, remote: 0 }, lastOf(guest));
  assert.equal(guest.prediction.statistics.corrections, 0);
  assert.ok(guest.spawns.matched > 10);
  assert.equal(guest.spawns.vanished, 0);
  court.ticks(60);
  expectAgreement(court, guest);
  assert.ok(guest.effects.confirmed > 10);
  assert.ok(guest.reports > 10);
});

for (let i = 0; i < 4; ++i)
  test(`Prediction.LateCommandsExplainWhatDiffers_${i}`, (t) => {
    const seed = newSeed();
    t.diagnostic(`seed ${seed}`);
    const court = courtOf(1, poor, seed);
    const guest = court.joinSettled();
    guest.prediction.setPredicted(court.crates[0]!, true);
    guest.margin = 0; // commands arrive late more often
    court.play(1000);
    const { mispredictions } = guest.prediction.statistics;
    assert.equal(mispredictions.remote, 0, lastOf(guest));
    assert.ok(mispredictions.late > 0);
    assert.match(lastOf(guest), /, late command: /);
    assert.ok(guest.effects.confirmed > 50);
    court.ticks(120);
    expectAgreement(court, guest);
  });

test("Prediction.TwoPlayersWhoPushOneCrateAgreeInTheEnd", (t) => {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const court = courtOf(1, poor, seed);
  const [one, two] = [court.joinSettled(), court.joinSettled()];
  for (const each of [one, two]) each.prediction.setPredicted(court.crates[0]!, true);
  court.play(1000);
  court.ticks(200);
  const remote = (guest: Guest): number => guest.prediction.statistics.mispredictions.remote;
  assert.ok(remote(one) + remote(two) > 0);
  expectAgreement(court, one);
  expectAgreement(court, two);
});

test("Prediction.ComponentsMayBeGivenByTheirGeneratedTypes", () => {
  const court = courtOf(1);
  const guest = court.joinSettled();
  const { prediction, avatar } = guest;
  const schema = { name: "court", fingerprint: "" };
  const Body: Component<{ position: { x: number } }> = { key: "Body/Body", schema };
  assert.deepEqual(prediction.sample(avatar, Body), prediction.sample(avatar, "Body"));
  assert.equal(prediction.value(avatar, Body)!.position.x, 0);
  assert.ok(prediction.sample(court.crates[0]!, Body) !== null, "an entity that is not predicted");
  assert.equal(prediction.sample(avatar, { key: "Body/Other", schema }), null);
});

test("Prediction.ARemoteChangeIsCountedAndShownSmoothly", () => {
  const court = courtOf(0);
  const guest = court.joinSettled();
  court.disturbOnce(() => (court.body(guest.avatar).position.x += 1));
  let [last, greatest] = [guest.shown().position.x, 0];
  for (let i = 0; i < 60; ++i) {
    court.step();
    const now = guest.shown().position.x;
    greatest = Math.max(greatest, Math.abs(now - last));
    last = now;
  }
  assert.equal(last, 1);
  assert.ok(greatest < 0.112, "a ninth per frame");
  const { statistics, lastMisprediction: found } = guest.prediction;
  assert.equal(statistics.mispredictions.remote, 1);
  assert.ok(Math.abs(statistics.correctionMetres.most - 1) < 1e-5);
  assert.equal(found!.entity, guest.avatar);
  assert.match(describe(found!), /^tick [0-9]+, entity [0-9]+\.1, remote: Body\.position\.x is 1, predicted 0$/);
});

test("Prediction.ARefusedThrowVanishesAndCancelsItsEffect", () => {
  const court = courtOf(0);
  const guest = court.joinSettled();
  // The client does not know of the cooldown yet when it throws.
  court.disturbOnce(() => (court.world.get(guest.avatar, "Thrower").cooldown = 100));
  guest.send(courtThrow(1, 0));
  court.ticks(1);
  assert.equal(guest.prediction.spawns.locals.length, 1);
  assert.equal(guest.effects.running(), 1);
  court.ticks(20);
  assert.deepEqual(guest.spawns, { spawned: 1, matched: 0, vanished: 1 });
  assert.equal(guest.effects.cancelled.get("throw"), 1);
  assert.equal(guest.effects.faults, 0);
});

test("Prediction.AThrownStoneContinuesAsTheServers", () => {
  const court = courtOf(0);
  const guest = court.joinSettled();
  guest.send(courtThrow(1, 0.5));
  court.ticks(2);
  let stone = guest.prediction.spawns.locals[0]!.entity;
  let last = guest.shown(stone).position.x;
  for (let i = 0; i < 45; ++i) {
    court.step();
    for (const { kind, real } of guest.prediction.spawns.notices) if (kind === "matched") stone = real;
    const { x } = guest.shown(stone).position;
    assert.ok(x >= last && x - last < 0.3, `frame ${i}`);
    last = x;
  }
  assert.ok(court.world.steps(stone));
  assert.equal(guest.prediction.statistics.mispredictions.remote, 0, lastOf(guest));
  assert.equal(guest.effects.confirmed, 1);
});

// The second stone takes the handle of the first one, once the ticks are computed without that.
test("Prediction.AStoneIsMatchedAfterARefusedOne", () => {
  const court = courtOf(0);
  const guest = court.joinSettled();
  court.conditions.incomplete = 1;
  guest.player.refused.add(1);
  guest.send(courtThrow(1, 0));
  court.ticks(8);
  guest.send(courtThrow(0, 1));
  court.ticks(8);
  assert.equal(guest.prediction.spawns.locals.length, 2);
  court.conditions.incomplete = 0;
  court.ticks(8);
  assert.deepEqual(guest.prediction.statistics.mispredictions, { late: 1, level: 0, remote: 0 }, lastOf(guest));
  assert.equal(guest.spawns.matched, 1);
  assert.equal(guest.effects.cancelled.get("throw"), 1);
  assert.ok(guest.prediction.predicted(court.stones()[0]!));
});

test("Prediction.ASpawnOfAnotherPlayersCommandIsNotMatched", () => {
  const court = courtOf(0);
  const thrower = court.join();
  const owner = court.joinSettled();
  court.disturb = () => {
    for (const stone of court.stones()) court.owners.set(stone, owner.player.number);
  };
  thrower.send(courtThrow(1, 0));
  owner.send(courtWalk(0, 0));
  court.ticks(14);
  const [stone] = court.stones();
  assert.ok(stone !== undefined && court.world.get(stone, "SpawnKey").player === thrower.player.number);
  assert.ok(!owner.prediction.predicted(stone));
  assert.equal(owner.spawns.matched, 0);
});

test("Prediction.ADestructionThatTheServerDoesNotShareIsUndone", () => {
  const court = courtOf(0);
  const guest = court.joinSettled();
  guest.send(courtThrow(1, 0));
  court.ticks(12);
  const stone = court.stones()[0]!;
  assert.ok(guest.prediction.predicted(stone));
  // The server keeps the stone when it is about to end.
  court.disturb = () => {
    const row = court.world.tryGet(stone, "Stone");
    if (row?.left === 1) row.left = 40;
  };
  let wasDestroyed = false;
  for (let i = 0; i < 30; ++i) {
    court.ticks(1);
    wasDestroyed ||= guest.prediction.isDestroyed(stone);
  }
  court.disturb = null;
  assert.ok(wasDestroyed);
  assert.ok(guest.prediction.predicted(stone));
  assert.ok(guest.shown(stone) !== null);
  court.ticks(100);
  assert.ok(!court.world.steps(stone) && !guest.prediction.predicted(stone));
});

test("Prediction.APauseEndsInOneRestart", () => {
  const court = courtOf(2);
  const guest = court.joinSettled();
  court.play(40);
  guest.isPaused = true;
  court.ticks(20 * 60);
  guest.isPaused = false;
  const { statistics } = guest.prediction;
  const computed = statistics.ticks + statistics.ticksReplayed;
  court.ticks(60);
  assert.equal(statistics.restarts, 1);
  assert.ok(statistics.ticks + statistics.ticksReplayed - computed < 250);
  expectAgreement(court, guest);
});

test("Prediction.ASilentServerStallsItAtItsLimit", () => {
  const court = courtOf(0);
  const guest = court.joinSettled({ inputDelay: { predictedMax: 8 } });
  court.isServerPaused = true;
  for (let i = 0; i < 90; ++i) {
    guest.send(courtWalk(1, 0));
    court.step();
    assert.ok(guest.prediction.tick - guest.prediction.reconciledTick <= 8);
  }
  assert.equal(guest.prediction.statistics.stalls, 1);
  const { stalledTime } = guest.prediction.statistics;
  assert.ok(stalledTime > 20 * 50 && stalledTime < 30 * 50, `${stalledTime}`);
  assert.equal(guest.prediction.statistics.inputDelayTicks, 0);
  court.resumeServer();
  court.ticks(200);
  assert.ok(guest.agrees(guest.avatar, "Body"));
});

test("Prediction.AnotherMirrorBeginsAnew", () => {
  const court = courtOf(1);
  const guest = court.joinSettled();
  court.play(40);
  guest.beginMirror();
  court.ticks(20);
  assert.ok(guest.prediction.predicted(guest.avatar));
  court.play(100);
  court.ticks(100);
  assert.equal(guest.prediction.statistics.mispredictions.remote, 0, lastOf(guest));
  expectAgreement(court, guest);
});

test("Prediction.EffectsEndThoughAnEntityOfTheNextMirrorIsChosen", () => {
  const court = courtOf(1);
  const guest = court.joinSettled();
  const [crate] = court.crates;
  const notices: string[] = [];
  guest.prediction.onEffect("throw", ({ kind }) => void notices.push(kind));
  guest.prediction.onSpawn(({ kind }) => void notices.push(kind));
  guest.send(courtThrow(1, 0));
  court.ticks(1);
  assert.deepEqual(notices.splice(0), ["spawned", "started"]);
  guest.beginMirror();
  guest.prediction.setPredicted(crate!, true);
  court.ticks(20);
  assert.deepEqual(notices.slice(0, 2), ["vanished", "cancelled"]);
  assert.ok(guest.prediction.predicted(crate!));
  guest.beginMirror();
  court.ticks(20);
  assert.ok(!guest.prediction.predicted(crate!), "it was chosen in the former mirror");
});

test("Prediction.AnEffectBeginsInTheFirstUpdateOfTheNextMirror", () => {
  const court = courtOf(0);
  const guest = court.joinSettled();
  guest.isPaused = true;
  guest.beginMirror();
  court.ticks(5);
  guest.send(courtThrow(1, 0));
  guest.isPaused = false;
  court.step();
  assert.equal(guest.effects.running(), 1);
  court.ticks(40);
  assert.equal(guest.effects.confirmed, 1);
  expectAgreement(court, guest);
});

test("Prediction.ACancelledEffectDoesNotBeginAfterALongPause", () => {
  const court = courtOf(0);
  const guest = court.joinSettled();
  court.conditions = { ...near, latency: 9, loss: 1 };
  guest.send(courtThrow(1, 0));
  court.ticks(1);
  assert.equal(guest.effects.running(), 1);
  guest.isPaused = true;
  court.ticks(150);
  court.conditions.loss = 0;
  court.ticks(10);
  guest.isPaused = false;
  court.ticks(40);
  assert.equal(guest.effects.started, 1);
  assert.equal(guest.effects.cancelled.get("throw"), 1);
  expectAgreement(court, guest);
});

test("Prediction.AnInputDelayHoldsCommandsBackOnBothSides", () => {
  const court = courtOf(2);
  const guest = court.joinSettled({ inputDelay: { least: 3, most: 3 } });
  assert.ok(Math.abs(guest.prediction.statistics.inputDelayTicks - 3) < 0.01);
  const velocity = (): number => (guest.prediction.value(guest.avatar, "Body") as any).velocity.x;
  guest.send(courtWalk(1, 0));
  court.ticks(1);
  assert.equal(velocity(), 0);
  court.ticks(4);
  assert.ok(velocity() > 0);
  court.play(200);
  assert.deepEqual(guest.prediction.statistics.mispredictions, { late: 0, level: 0, remote: 0 }, lastOf(guest));
});

test("Prediction.AnEntityChangesBetweenMirrorAndPredictionSmoothly", () => {
  const court = courtOf(1);
  const guest = court.joinSettled();
  const crate = court.crates[0]!;
  court.disturbOnce(() => (court.body(crate).velocity.x = 8));
  court.ticks(3);
  let last = guest.shown(crate).position.x;
  for (let i = 0; i < 60; ++i) {
    if (i === 3) guest.prediction.setPredicted(crate, true);
    if (i === 20) assert.ok(guest.prediction.predicted(crate));
    if (i === 25) guest.prediction.setPredicted(crate, false);
    court.step();
    const now = guest.shown(crate).position.x;
    assert.ok(Math.abs(now - last) < 0.4, `frame ${i}: ${last} to ${now}`);
    last = now;
  }
  assert.ok(!guest.prediction.predicted(crate));
});

test("Prediction.AnEntityThatEndsIsNoLongerPredicted", () => {
  const court = courtOf(1);
  const guest = court.joinSettled();
  const crate = court.crates[0]!;
  guest.prediction.setPredicted(crate, true);
  court.ticks(10);
  assert.ok(guest.prediction.predicted(crate));
  court.disturbOnce(() => court.world.destroy(crate));
  court.ticks(10);
  assert.ok(!guest.prediction.predicted(crate));
  assert.ok(guest.prediction.predicted(guest.avatar));
});

test("Prediction.AnEntityOutOfViewIsPredictedOnceItReturns", () => {
  const court = courtOf(1);
  const guest = court.joinSettled();
  const crate = court.crates[0]!;
  guest.prediction.setPredicted(crate, true);
  court.ticks(10);
  court.hidden.add(crate);
  court.ticks(20);
  assert.ok(!guest.prediction.predicted(crate) && guest.prediction.predicted(guest.avatar));
  court.hidden.delete(crate);
  court.ticks(20);
  assert.ok(guest.prediction.predicted(crate));
  assert.equal(guest.prediction.statistics.mispredictions.remote, 0, lastOf(guest));
});

test("Prediction.AnotherOwnerAndOtherComponentsAreFollowed", () => {
  const court = courtOf(1);
  const guest = court.joinSettled();
  const crate = court.crates[0]!;
  guest.prediction.setPredicted(crate, true);
  court.ticks(10);
  court.disturbOnce(() => {
    const index = Number(crate & 0xffff_ffffn);
    court.owners.set(crate, guest.player.number);
    court.world.components.get("Crate")!.rows.has[index] = 0;
    court.world.components.get("Heading")!.rows.setDefault(index);
  });
  court.ticks(20);
  assert.equal(guest.prediction.value(crate, "Crate"), null);
  assert.ok(guest.agrees(crate, "Heading") && guest.agrees(crate, "Body"));
});

test("Prediction.AChangedInputOfTheRulesIsTakenBeforeItMatters", () => {
  const court = courtOf(0);
  const guest = court.joinSettled();
  court.disturbOnce(() => (court.world.get(guest.avatar, "Surface").friction = 0.5));
  court.ticks(20);
  court.play(100);
  court.ticks(60);
  assert.equal(guest.prediction.statistics.mispredictions.remote, 0, lastOf(guest));
  expectAgreement(court, guest);
});

test("Prediction.UnknownNamesInTheRulesAreAFailure", () => {
  const court = courtOf(0);
  const guest = court.join({}, { ...courtRules, reads: ["Weather"] });
  court.ticks(20);
  assert.equal(guest.prediction.failure?.reason, "unknown component");
  assert.ok(!guest.prediction.started);
});

test("Prediction.UnknownNamesInTheSettingsAreAFailure", () => {
  const court = courtOf(0);
  const guest = court.join({ smoothing: [{ component: "Weather" }] });
  court.ticks(20);
  assert.equal(guest.prediction.failure?.reason, "not predicted");
  assert.ok(!guest.prediction.started);
});

test("Prediction.AFailedStepEndsItWithItsEffects", () => {
  const court = courtOf(0);
  let fails = false;
  const guest = court.join(
    {},
    {
      reads: courtRules.reads,
      step: (world, tick, commands) => {
        courtRules.step(world, tick, commands);
        if (fails) world.get(guest.avatar, "Crate");
      },
    },
  );
  court.ticks(20);
  guest.send(courtThrow(1, 0));
  court.ticks(1);
  fails = true;
  assert.throws(() => court.ticks(2), /has no Crate/);
  guest.effects.follow(guest.prediction.effects.notices);
  court.ticks(20);
  assert.equal(guest.prediction.failure?.reason, "step failed");
  assert.equal(guest.effects.running(), 0);
  assert.ok(!guest.prediction.predicted(guest.avatar));
  assert.ok(guest.shown() !== null, "it is shown as the mirror has it");
});

test("Prediction.AComponentThatRulesDoNotNameIsAnError", () => {
  const court = courtOf(0);
  const guest = court.join({}, { reads: [], step: courtRules.step });
  assert.throws(() => court.ticks(20), /the step reads Surface, which Rules.reads does not list/);
  assert.equal(guest.prediction.failure?.reason, "step failed");
});
