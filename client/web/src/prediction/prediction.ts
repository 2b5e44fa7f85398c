// Prediction: runs the game's rules ahead of the server, so that the player's commands take effect at once.
//
//   reconciled         complete               predicted          target
//   ------o----------------o----------------------o-----------------o--->  ticks
//         |_ compared with the mirror |_ predicted |_ input delay |
//
// It keeps a snapshot of each tick. Once the mirror is complete at a tick, the prediction of that tick is compared with it,
// in exact values. If they are equal, the tick is reconciled. If not, all predicted entities are returned to the mirror's
// values and the later ticks are computed again. Before that, the ticks since the last reconciled one are computed again
// with the commands that the server did run. If that gives the mirror's values, late commands explain the misprediction.
// Otherwise a level does that the steps read and the client lacked, or something remote.
import { type Component, nameOf } from "../connection/component.js";
import type { Connection } from "../connection/connection.js";
import { Refusal } from "../core/refusal.js";
import { sample } from "../mirror/interpolation.js";
import type { Mirror } from "../mirror/mirror.js";
import type { ComponentObject } from "../mirror/values_object.js";
import { CommandTimeline, never } from "./command_timeline.js";
import { type EffectNotice, EffectTable } from "./effect_table.js";
import type { InputDelayLimits } from "./input_delay.js";
import type { Misprediction } from "./misprediction.js";
import { entityOf, generationOf, indexOf } from "../core/entity.js";
import { type EntityRef, refOf } from "./predicted_set.js";
import { PredictedSpawns, type SpawnNotice } from "./predicted_spawns.js";
import { type PredictionConfig, type PredictionFailure, limitsDefault, noPredictionStatistics } from "./prediction_config.js";
import { PredictionReporter } from "./prediction_reporter.js";
import { PredictionSession } from "./prediction_session.js";
import type { Command, Rules } from "./rules.js";
import type { SetDifference } from "./set_comparison.js";
import type { ShownMoment } from "./shown_state.js";
import { WantedEntities } from "./wanted_entities.js";

export class Prediction {
  readonly statistics = noPredictionStatistics();
  /** Effects, and those that the last update has begun and ended. */
  readonly effects = new EffectTable();
  /** Entities that steps have spawned and the server has not confirmed, and how they have changed. */
  readonly spawns = new PredictedSpawns();
  /** Null while the rules fit the server's schema and no step has failed. */
  failure: PredictionFailure | null = null;
  lastMisprediction: Misprediction | null = null;
  /** The newest tick that is predicted. */
  tick = 0;
  /** The newest tick that is known to be the server's. */
  reconciledTick = 0;
  /** Whether a tick was complete. */
  started = false;
  /** The moment to show, as of the last update. */
  readonly moment: ShownMoment = { predicted: 0, view: 0 };
  private readonly effectCallbacks: { readonly name: string; readonly callback: (notice: EffectNotice) => void }[] = [];
  private readonly spawnCallbacks: ((notice: SpawnNotice) => void)[] = [];
  private readonly limits: InputDelayLimits;
  private mirror: Mirror | null = null; // that the session is of, or would be
  private session: PredictionSession | null = null; // null without a mirror
  private restarted = false; // by the update in progress
  private advanced = 0; // time of the last update that was to compute due ticks
  private readonly commands = new CommandTimeline();
  private readonly reporter = new PredictionReporter();
  private readonly wanted = new WantedEntities();
  private readonly nowWanted: EntityRef[] = [];
  private newest = 0; // the newest tick ever computed: later ones are no replays
  private updates = 0;
  private readonly numbers: number[] = [];
  private readonly stepCommands: Command[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly rules: Rules,
    private readonly config: PredictionConfig = {},
  ) {
    this.limits = { ...limitsDefault, ...config.inputDelay };
    if (!(this.limits.predictedMax >= 1)) throw new RangeError("inputDelay.predictedMax is at least 1");
  }

  /** Calls back when an effect of this name begins, and when it ends. */
  onEffect(name: string, callback: (notice: EffectNotice) => void): void {
    this.effectCallbacks.push({ name, callback });
  }

  /** Calls back for each change of an entity that a step has spawned. */
  onSpawn(callback: (notice: SpawnNotice) => void): void {
    this.spawnCallbacks.push(callback);
  }

  private dispatch(): void {
    for (const notice of this.spawns.notices) for (const callback of this.spawnCallbacks) callback(notice);
    for (const notice of this.effects.notices)
      for (const { name, callback } of this.effectCallbacks) if (name === notice.name) callback(notice);
  }

  // State -----------------------------------------------------------------------------------------------------------

  /**
   * Predicts an entity besides the player's own, or ceases to. Takes effect with the next complete tick. The entity stays as
   * mirrored beyond 4,096 entities. So does another player's if a predicted field of it is owner_only. Both are logged, and
   * counted in `statistics.unpredictedEntities`.
   */
  setPredicted(entity: bigint, predicted: boolean): void {
    // The next update follows the mirror: the ends of effects are notices of an update.
    this.wanted.choose(refOf(entity), predicted, this.connection.mirrors);
  }

  /** Returns whether the entity is predicted at present. Its handle is the server's, or that of a predicted spawn. */
  predicted(entity: bigint): boolean {
    return this.isCurrent() && this.session!.set.isStepped(entity);
  }

  /** Returns whether a step has destroyed an entity that the mirror still has. */
  isDestroyed(entity: bigint): boolean {
    if (!this.isCurrent()) return false;
    const { set } = this.session!;
    const slot = set.slotOf(entity);
    return slot >= 0 && !set.isLocal(slot) && set.alive[slot] === 0;
  }

  /** Returns whether the prediction is one of the connection's present mirror. */
  private isCurrent(): boolean {
    return this.started && this.connection.mirror === this.mirror;
  }

  /** Returns a component as it is to be shown, of predicted and other entities; null if the entity does not have it. */
  sample(entity: bigint, component: string): ComponentObject | null;
  sample<T>(entity: bigint, component: Component<T>): T | null;
  sample(entity: bigint, given: string | Component<unknown>): ComponentObject | null {
    const { mirror } = this.connection;
    const component = nameOf(given);
    if (mirror === null) return null;
    const view = this.moment.view;
    if (this.isCurrent()) {
      const { set, shown } = this.session!;
      const tracked = set.readable.get(component);
      if (tracked?.isPredicted === true) return shown.sample(entity, tracked, this.moment);
      if (shown.isDestroyed(entity, this.moment)) return null;
    }
    const pool = mirror.world.findPool(component);
    return pool === null ? null : sample(mirror, pool, indexOf(entity), generationOf(entity), view);
  }

  /** Returns the predicted value of the newest tick; null for what is not predicted. */
  value(entity: bigint, component: string): ComponentObject | null;
  value<T>(entity: bigint, component: Component<T>): T | null;
  value(entity: bigint, component: string | Component<unknown>): ComponentObject | null {
    if (!this.predicted(entity)) return null;
    const { set } = this.session!;
    const tracked = set.readable.get(nameOf(component));
    const slot = set.slotOf(entity);
    return tracked?.isPredicted === true && tracked.rows.has[slot] === 1
      ? tracked.toObject(tracked.rows.views.bytes, slot)
      : null;
  }

  // Update ----------------------------------------------------------------------------------------------------------

  /** Reconciles what has arrived and computes the ticks that are due. Called after each Connection.update(). */
  update(now: number): void {
    this.effects.clearNotices();
    this.spawns.clearNotices();
    if (this.followMirror()) this.predict(now);
    this.dispatch();
  }

  private predict(now: number): void {
    ++this.updates;
    this.commands.addFrom(this.connection.commands, this.reconciledTick);
    this.connection.commands.forgetBefore(this.commands.oldest());
    try {
      this.runNewLevel();
      this.runNewCommands();
      this.reconcile();
      this.advance(now);
    } catch (error) {
      this.abandon(error);
      this.dispatch();
      throw error;
    }
  }

  /** A step that has not ended leaves values that are of no tick. So nothing is predicted until there is another mirror. */
  private abandon(error: unknown): void {
    this.failure = { reason: "step failed", message: error instanceof Error ? error.message : String(error) };
    this.effects.cancelRunning();
    this.spawns.clear();
    this.session = null;
    this.started = false;
  }

  /** Returns false while there is nothing to predict. */
  private followMirror(): boolean {
    const { mirror, clock } = this.connection;
    if (mirror === null || clock === null) return false;
    if (mirror === this.mirror) return this.session !== null;
    this.endSession();
    this.mirror = mirror;
    this.failure = null;
    try {
      this.session = new PredictionSession(mirror, this.connection, this.rules, this.config, this.limits, this.effects);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.failure = { reason: error.reason, message: error.message };
    }
    return this.session !== null;
  }

  private endSession(): void {
    this.effects.clear();
    this.spawns.clear();
    this.commands.clear();
    this.wanted.beginMirror(this.connection.mirrors);
    this.session = null;
    this.started = this.restarted = false;
    this.tick = this.reconciledTick = this.newest = 0; // ticks of another mirror may be lower
    this.moment.predicted = this.moment.view = 0;
    this.lastMisprediction = null;
  }

  /** Computes ticks again whose steps have read another level than they would now. */
  private runNewLevel(): void {
    const { levels, shown } = this.session!;
    const last = this.tick;
    const wrong = levels.firstWrong(this.reconciledTick, last);
    if (wrong === never) return;
    ++this.statistics.rollbacks;
    shown.capture(this.moment);
    this.returnTo(wrong - 1);
    this.runTo(last);
    this.countCorrection(shown.correct(this.moment));
  }

  /** Runs commands for ticks that are computed already. Their effect is no correction, so it comes before any. */
  private runNewCommands(): void {
    const last = this.tick;
    const wrong = this.started ? this.commands.firstWrong(last) : never;
    if (wrong === never) return;
    this.returnTo(Math.max(wrong, this.reconciledTick + 1) - 1);
    this.runTo(last);
  }

  private advance(now: number): void {
    const clock = this.connection.clock!;
    const { shown, delay, set } = this.session!;
    this.moment.view = clock.viewTick(now);
    if (!this.started) return;
    const wasStalled = delay.isStalled;
    const predicted = delay.advance(clock.targetTick(now), clock.margin(), this.reconciledTick);
    if (delay.isStalled && wasStalled) this.statistics.stalledTime += Math.max(now - this.advanced, 0);
    else if (delay.isStalled) ++this.statistics.stalls;
    this.advanced = now;
    this.runTo(Math.min(Math.floor(predicted), this.reconciledTick + this.limits.predictedMax));
    this.moment.predicted = Math.max(predicted - 1, 0);
    if (this.restarted) this.countCorrection(shown.correct(this.moment));
    this.restarted = false;
    shown.dropErrors(this.moment.view);
    this.spawns.update(set);
    const { statistics } = this;
    statistics.droppedEffects = this.effects.dropped;
    statistics.inputDelayTicks = delay.present;
    statistics.predictedTicks = this.tick - this.reconciledTick;
    this.reporter.update(statistics, this.connection, now);
  }

  // Reconciliation --------------------------------------------------------------------------------------------------

  private collect(): void {
    const { mirror, set } = this.session!;
    const { player } = this.connection;
    const own = (this.config.ownEntity ?? true) && player.generation !== 0 ? player : null;
    this.wanted.list(mirror, own, this.nowWanted);
    set.collect(this.nowWanted, this.commands, this.reconciledTick);
    this.statistics.unpredictedEntities = set.unpredicted.count;
  }

  /**
   * Begins anew with the mirror's values, after a pause or in the beginning. Entities that were spawned in the pause are
   * newer than the former reconciled tick. advance() corrects the picture that was shown last.
   */
  private beginAt(complete: number): void {
    const { set, ring, shown } = this.session!;
    this.effects.cancelRunning();
    shown.capture(this.moment);
    this.commands.settle(this.connection.commands, complete);
    this.collect();
    this.reconciledTick = complete;
    this.followMatched();
    ring.clear();
    set.rebuild();
    ring.save(complete);
    this.tick = complete;
    this.commands.rewind(complete);
    this.commands.drop(complete);
    if (this.started) ++this.statistics.restarts;
    this.started = this.restarted = true;
  }

  private reconcile(): void {
    const { mirror, delay, ring, comparison, shown } = this.session!;
    const complete = mirror.tick;
    const isTick = complete > 0 && complete < never - this.limits.predictedMax;
    if (!this.connection.isComplete() || !isTick) return;
    if (this.started && complete <= this.reconciledTick) return;
    if (this.started) delay.onComplete(this.reconciledTick);
    if (!this.started || complete - this.reconciledTick > this.limits.predictedMax) return this.beginAt(complete);
    this.runTo(complete); // the clock is behind
    this.commands.settle(this.connection.commands, complete);
    const wrong = this.commands.firstWrong(this.tick);
    this.collect();
    const found = comparison.compare(ring.snapshot(complete));
    if (wrong === never && !comparison.any()) return this.finishReconciled(complete);
    ++this.statistics.rollbacks;
    shown.capture(this.moment);
    const misprediction = found.values ? this.noteDifference(complete, found) : null;
    const last = this.tick;
    if (wrong <= complete) this.verify(wrong, complete);
    if (misprediction !== null) this.countMisprediction(misprediction, complete, found.values);
    this.resolve(complete, wrong);
    this.runTo(last);
    this.finishReconciled(complete);
    this.countCorrection(shown.correct(this.moment));
  }

  /** Computes the ticks since the reconciled one again, with the commands that the server has run in them. */
  private verify(wrong: number, complete: number): void {
    const { ring, comparison } = this.session!;
    this.returnTo(Math.max(wrong, this.reconciledTick + 1) - 1);
    this.runTo(complete);
    this.collect(); // local entities may be others now
    comparison.compare(ring.snapshot(complete));
  }

  /** Returns to the last tick that is right. The comparison has found what the commands that ran do not explain. */
  private resolve(complete: number, wrong: number): void {
    const { ring, comparison } = this.session!;
    if (comparison.any()) {
      ring.restore(complete);
      this.adopt(complete, comparison.found);
      this.returnTo(complete);
    } else {
      this.returnTo(wrong > complete ? wrong - 1 : complete);
    }
  }

  /** Takes the mirror's values, now that the set is as it was after `complete`. */
  private adopt(complete: number, { members, values, component }: SetDifference): void {
    const { set, ring } = this.session!;
    if (members || (values && component === null)) {
      this.followMatched();
      set.rebuild();
      // The snapshots around the shown moment are kept: it may be before `complete`.
      ring.rearrange(Math.floor(this.moment.predicted), complete);
    } else {
      set.copyValues();
    }
    ring.save(complete);
  }

  /** Local entities that the server has spawned continue under its handles. */
  private followMatched(): void {
    const { matched } = this.session!.set;
    this.spawns.onMatched(matched);
    for (const { real } of matched) this.wanted.addSpawned(refOf(real));
  }

  /** `isLeft`: the commands that ran do not explain it. */
  private countMisprediction(misprediction: Misprediction, complete: number, isLeft: boolean): void {
    const lacksLevel = this.session!.levels.lacksOne(this.reconciledTick, complete);
    misprediction.cause = !isLeft ? "late" : lacksLevel ? "level" : "remote";
    ++this.statistics.mispredictions[misprediction.cause];
    this.lastMisprediction = misprediction;
  }

  private countCorrection(distance: number): void {
    if (distance === 0) return;
    const { correctionMetres } = this.statistics;
    ++this.statistics.corrections;
    correctionMetres.last = distance;
    correctionMetres.most = Math.max(correctionMetres.most, distance);
    correctionMetres.sum += distance;
  }

  /** Keeps both values, before the tick is computed again. */
  private noteDifference(tick: number, { entity, slot, component }: SetDifference): Misprediction {
    const base = { tick, cause: "remote" as const, entity, component: component?.component.name ?? "" };
    if (component === null) return { ...base, predicted: null, authoritative: null };
    const { ring, set } = this.session!;
    const row = ring.snapshot(tick).rows[set.predicted.indexOf(component)]!;
    return {
      ...base,
      predicted: component.toObject(row, slot),
      authoritative: component.mirroredToObject(indexOf(entity)),
    };
  }

  private finishReconciled(complete: number): void {
    this.effects.settle(complete);
    this.reconciledTick = complete;
    this.commands.drop(complete);
  }

  // Ticks -----------------------------------------------------------------------------------------------------------

  /** Returns to a tick of the ring. Those after it are computed again. */
  private returnTo(tick: number): void {
    this.session!.ring.restore(tick);
    this.commands.rewind(tick);
    this.effects.beginPass(tick);
    this.tick = tick;
  }

  private runTo(last: number): void {
    while (this.tick < last) this.runTick(this.tick + 1);
  }

  private runTick(tick: number): void {
    const { set, ring, world } = this.session!;
    this.gatherCommands(tick);
    world.begin(tick, this.updates);
    this.rules.step(world, tick, this.stepCommands);
    for (const tracked of set.predicted) tracked.clean(set.count);
    ring.save(tick);
    this.tick = tick;
    if (tick <= this.newest) ++this.statistics.ticksReplayed;
    else ++this.statistics.ticks;
    this.newest = Math.max(this.newest, tick);
  }

  private gatherCommands(tick: number): void {
    const { player, playerNumber, commands } = this.connection;
    this.commands.run(tick, this.numbers);
    this.stepCommands.length = 0;
    if (player.generation === 0 || this.numbers.length === 0) return;
    const entity = entityOf(player.index, player.generation);
    for (const number of this.numbers) {
      const known = commands.find(number);
      if (known !== null) this.stepCommands.push({ player: playerNumber, entity, number, bytes: known.bytes });
    }
  }
}
