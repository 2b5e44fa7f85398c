// A court with its server and predicting clients on a simulated network, frame by frame: three frames to a tick.
import type { Connection } from "../../src/connection/connection.js";
import { CommandLog } from "../../src/connection/command_log.js";
import { OfferedLevels } from "../../src/connection/offered_levels.js";
import { Prediction } from "../../src/prediction/prediction.js";
import type { PredictionConfig } from "../../src/prediction/prediction_config.js";
import type { Command, Row, Rules } from "../../src/prediction/rules.js";
import { generationOf, indexOf } from "../../src/core/entity.js";
import type { SpawnNotice } from "../../src/prediction/predicted_spawns.js";
import { courtRules, courtSchema, courtThrow, courtWalk } from "./court_rules.js";
import { EffectLedger } from "./effect_ledger.js";
import { RuledWorld } from "./ruled_world.js";
import { type SentEntity, type SentTick, WrittenMirror } from "./written_mirror.js";

export const framesPerTick = 3;
export const ticksPerSecond = 20;
const frameMs = 1000 / ticksPerSecond / framesPerTick;
const lateMax = 16; // ticks after which the server drops a command
const outcomesKept = 64;

export interface Conditions {
  latency: number; // frames one way
  jitter: number; // frames
  loss: number; // share
  /** Share of ticks that the mirror has, but not completely. */
  incomplete: number;
}

export const near: Conditions = { latency: 3, jitter: 0, loss: 0, incomplete: 0 };
export const poor: Conditions = { latency: 6, jitter: 5, loss: 0.08, incomplete: 0.1 };

interface Given {
  readonly number: number;
  readonly tick: number;
  readonly bytes: Uint8Array;
}

interface Delta extends SentTick {
  readonly done: number;
  readonly outcomes: readonly number[];
  readonly isComplete: boolean;
}

/** Something under way, and the frame in which it arrives. */
interface UnderWay<T> {
  readonly at: number;
  readonly what: T;
}

function takeArrived<T>(all: UnderWay<T>[], frame: number): T[] {
  const arrived = all.filter((each) => each.at <= frame).map((each) => each.what);
  all.splice(0, all.length, ...all.filter((each) => each.at > frame));
  return arrived;
}

/** The server's side of a player. */
class Player {
  readonly waiting = new Map<number, Given>();
  readonly refused = new Set<number>(); // numbers of commands that the server does not run
  done = 0;
  readonly outcomes: number[] = []; // by number - 1

  constructor(
    readonly number: number,
    readonly avatar: bigint,
  ) {}

  receive(given: Given): void {
    if (given.number > this.done) this.waiting.set(given.number, given);
  }

  /** Returns the commands that run in a tick. */
  due(tick: number): Command[] {
    const due: Command[] = [];
    for (let next = this.waiting.get(this.done + 1); next !== undefined; next = this.waiting.get(this.done + 1)) {
      if (next.tick > tick) break;
      this.waiting.delete(next.number);
      this.done = next.number;
      const late = tick - next.tick;
      const isRun = late <= lateMax && !this.refused.has(next.number);
      this.outcomes.push(!isRun ? 0 : late === 0 ? -1 : late);
      if (isRun) due.push({ player: this.number, entity: this.avatar, number: next.number, bytes: next.bytes });
    }
    return due;
  }

  /** Returns the outcomes of the commands done, done - 1, …, up to the last that was not in its own tick. */
  lastOutcomes(): number[] {
    return this.outcomes.slice(-outcomesKept).reverse();
  }
}

export class Guest {
  readonly effects = new EffectLedger();
  readonly spawns: Record<SpawnNotice["kind"], number> = { spawned: 0, matched: 0, vanished: 0 };
  readonly prediction: Prediction;
  readonly ups: UnderWay<Given>[] = [];
  readonly downs: UnderWay<Delta>[] = [];
  readonly levels = new OfferedLevels();
  isPaused = false;
  reports = 0;
  margin = 1;
  private written = new WrittenMirror(courtSchema());
  private command: Uint8Array | null = null;
  private isComplete = false;
  private target = 0;
  private followed = 0; // number of the mirror that the prediction has followed
  private readonly state: { -readonly [Name in keyof Connection]?: unknown };

  constructor(
    private readonly court: Court,
    readonly player: Player,
    config: PredictionConfig,
    rules: Rules,
  ) {
    this.state = {
      mirror: null,
      mirrors: 0,
      commands: new CommandLog(),
      player: { index: 0, generation: 0 },
      playerNumber: player.number,
      ticksPerSecond,
      predictionSeed: 5n,
      clock: null,
      levels: this.levels,
      isComplete: () => this.isComplete,
      sendReport: () => {
        ++this.reports;
        return true;
      },
    };
    this.prediction = new Prediction(this.state as unknown as Connection, rules, config);
    this.beginMirror();
  }

  get avatar(): bigint {
    return this.player.avatar;
  }

  get log(): CommandLog {
    return this.state.commands as CommandLog;
  }

  get mirrorTick(): number {
    return this.written.mirror.tick;
  }

  /** Begins another mirror, as of a server that does not know the client any more. */
  beginMirror(): void {
    this.written = new WrittenMirror(courtSchema());
    this.isComplete = false;
    this.ups.length = this.downs.length = 0;
    const { court } = this;
    Object.assign(this.state, {
      mirror: this.written.mirror,
      mirrors: (this.state.mirrors as number) + 1,
      commands: new CommandLog(),
      player: { index: indexOf(this.avatar), generation: generationOf(this.avatar) },
      clock: {
        targetTick: () =>
          (this.target = Math.max(
            this.target,
            court.moment + court.conditions.latency / framesPerTick + 1 + this.margin,
          )),
        margin: () => this.margin,
        viewTick: () => Math.max(0, court.moment - court.conditions.latency / framesPerTick - 2),
      },
    });
    Object.assign(this.player, { done: 0 });
    this.player.outcomes.length = 0;
    this.player.waiting.clear();
  }

  send(command: Uint8Array): void {
    this.command = command;
  }

  /** Receives, gives the command, predicts, as Client.update() does. */
  update(): void {
    const { court } = this;
    for (const delta of takeArrived(this.downs, court.frame).sort((a, b) => a.tick - b.tick)) this.receive(delta);
    const clock = this.state.clock as { targetTick(): number; viewTick(): number };
    if (this.command !== null && this.mirrorTick > 0) {
      try {
        this.log.add(this.command, Math.floor(clock.targetTick()), clock.viewTick(), 0);
      } catch {
        // Too many wait for a server that does not answer.
      }
      this.command = null;
    }
    this.repeat();
    this.prediction.update(court.frame * frameMs);
    const { notices } = this.prediction.effects;
    if (this.followed === this.state.mirrors) this.effects.follow(notices);
    else this.effects.followNextMirror(notices);
    this.followed = this.state.mirrors as number;
    for (const { kind } of this.prediction.spawns.notices) ++this.spawns[kind];
  }

  private repeat(): void {
    for (let number = this.log.firstWaiting(); ; ++number) {
      const known = this.log.find(number);
      if (known === null) return;
      this.court.carry(this.ups, { number, tick: known.tick, bytes: known.bytes });
    }
  }

  private receive(delta: Delta): void {
    if (delta.tick <= this.mirrorTick) return;
    this.written.write(delta);
    this.isComplete = delta.isComplete;
    this.log.onFeedback({ done: delta.done, held: 0, margin: 1, outcomes: delta.outcomes });
  }

  shown(entity = this.avatar): any {
    return this.prediction.sample(entity, "Body");
  }

  /** Returns whether the newest prediction is what the server has, once nothing moves. */
  agrees(entity: bigint, component: string): boolean {
    const own = this.prediction.value(entity, component);
    return own !== null && JSON.stringify(own) === JSON.stringify(this.court.valueOf(entity, component));
  }
}

export class Court {
  readonly world = new RuledWorld(courtSchema(), ticksPerSecond);
  readonly crates: bigint[] = [];
  readonly guests: Guest[] = [];
  readonly owners = new Map<bigint, number>();
  readonly hidden = new Set<bigint>();
  frame = 0;
  isServerPaused = false;
  /** Changes the world after each step. */
  disturb: (() => void) | null = null;
  private readonly players: Player[] = [];
  private pausedFrames = 0;

  constructor(
    crates: number,
    public conditions: Conditions,
    readonly random: () => number,
    private readonly rules: Rules = courtRules,
  ) {
    for (let i = 0; i < crates; ++i)
      this.crates.push(this.world.create({ Body: { position: { x: 2 * i, y: 0, z: 3 } }, Crate: {}, Surface: {} }));
  }

  /** The server's tick as clients estimate it, continuous. They notice a pause when it ends. */
  get moment(): number {
    return (this.frame - this.pausedFrames) / framesPerTick + 1;
  }

  /** Lets a paused server go on. */
  resumeServer(): void {
    this.isServerPaused = false;
    this.pausedFrames = this.frame - framesPerTick * (this.world.tick - 1);
  }

  join(config: PredictionConfig = {}, rules: Rules = this.rules): Guest {
    const avatar = this.world.create({ Body: {}, Heading: {}, Thrower: {}, Surface: {} });
    const player = new Player(this.players.length + 1, avatar);
    this.owners.set(avatar, player.number);
    this.players.push(player);
    const guest = new Guest(this, player, config, rules);
    this.guests.push(guest);
    return guest;
  }

  /** Waits until the guest predicts. */
  joinSettled(config: PredictionConfig = {}): Guest {
    const guest = this.join(config);
    this.ticks(20);
    return guest;
  }

  carry<T>(way: UnderWay<T>[], what: T): void {
    const { latency, jitter, loss } = this.conditions;
    if (this.random() < loss) return;
    way.push({ at: this.frame + Math.max(1, Math.round(latency + jitter * this.random())), what });
  }

  private serverTick(): void {
    const { world } = this;
    const commands: Command[] = [];
    for (const guest of this.guests)
      for (const given of takeArrived(guest.ups, this.frame)) guest.player.receive(given);
    for (const player of this.players) if (world.steps(player.avatar)) commands.push(...player.due(world.tick));
    const { tick } = world;
    world.run(() => {
      this.rules.step(world, tick, commands);
      this.disturb?.();
    });
    for (const guest of this.guests) this.carry(guest.downs, this.deltaOf(guest.player, tick));
  }

  private ownerOf(entity: bigint): number {
    return this.owners.get(entity) ?? this.world.tryGet(entity, "SpawnKey")?.player ?? 0;
  }

  private deltaOf(player: Player, tick: number): Delta {
    const inView: SentEntity[] = [];
    const outOfView = new Set<number>();
    this.world.generations.forEach((generation, index) => {
      if (generation === 0) return;
      const entity = (BigInt(generation) << 32n) | BigInt(index);
      if (this.hidden.has(entity)) return void outOfView.add(index);
      const components = new Map<string, Uint8Array>();
      for (const [name, { rows }] of this.world.components)
        if (rows.has[index] === 1) components.set(name, this.world.bytesOf(entity, name).slice());
      inView.push({ index, generation, components, isOwner: this.ownerOf(entity) === player.number });
    });
    const isComplete = this.random() >= this.conditions.incomplete;
    return { tick, inView, outOfView, done: player.done, outcomes: player.lastOutcomes(), isComplete };
  }

  step(): void {
    for (const guest of this.guests) if (!guest.isPaused) guest.update();
    ++this.frame;
    if (this.frame % framesPerTick === 0 && !this.isServerPaused) this.serverTick();
  }

  ticks(count: number): void {
    for (let i = 0; i < framesPerTick * count; ++i) this.step();
  }

  disturbOnce(change: () => void): void {
    this.disturb = change;
    this.ticks(1);
    this.disturb = null;
  }

  /** Runs ticks in which each guest walks about and throws stones. */
  play(count: number): void {
    for (let i = 0; i < framesPerTick * count; ++i) {
      for (const guest of this.guests) this.act(guest);
      this.step();
    }
  }

  /** Gives a command, half of the time towards the first crate. */
  private act(guest: Guest): void {
    if (this.random() < 0.5) return;
    let [x, z] = [2 * this.random() - 1, 2 * this.random() - 1];
    const crate = this.crates[0] === undefined ? null : this.world.tryGet(this.crates[0], "Body");
    const own = this.world.tryGet(guest.avatar, "Body");
    if (crate !== null && own !== null && this.random() < 0.5) {
      x = Math.max(-1, Math.min(crate.position.x - own.position.x, 1));
      z = Math.max(-1, Math.min(crate.position.z - own.position.z, 1));
    }
    guest.send(this.random() < 1 / 8 ? courtThrow(x, z) : courtWalk(x, z));
  }

  body(entity: bigint): Row {
    return this.world.get(entity, "Body");
  }

  /** Returns the server's component as an object. */
  valueOf(entity: bigint, component: string): unknown {
    const { rows } = this.world.components.get(component)!;
    return this.world.components.get(component)!.toObject(rows.views.bytes, indexOf(entity));
  }

  stones(): bigint[] {
    return this.world.entities("Stone");
  }
}
