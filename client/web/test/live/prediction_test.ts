// Prediction of the demo by its rules in TypeScript, against a running server.
import assert from "node:assert/strict";
import { type TestContext, after, before, test } from "node:test";
import { Move, Tag, Throw, WalkTo } from "../../demo/demo_commands.js";
import type { Client, ConnectOptions } from "../../src/connection/client.js";
import { toHex } from "../../src/core/bytes.js";
import { encode } from "../../src/messages.js";
import { Client as AnyClient, LevelStore, connect } from "../../src/node.js";
import { openUdp } from "../../src/pipe/udp.js";
import { type Prediction, type Rules, describe, predict } from "../../src/prediction.js";
import { DemoServer, hamlet, hasPrograms, sleep, until, village } from "../support/demo_server.js";
import { demoRules } from "../support/demo_rules.js";
import { EffectLedger } from "../support/effect_ledger.js";
import { hasModules, loadModule } from "../support/modules.js";
import { newSeed, randomOf } from "../support/random.js";
import { type Path, slowPipe } from "../support/slow_pipe.js";

const server = new DemoServer();
const options = { skip: hasPrograms ? false : "PROGRAMS names no programs", timeout: 120_000 };
let level: Uint8Array | null = null;

before(async () => {
  if (!hasPrograms) return;
  await server.start({ level: village });
  level = await download();
});
after(async () => {
  await server.remove();
});

/** Returns the level, whose obstacles the rules need from the first tick on. */
async function download(): Promise<Uint8Array> {
  const levels = new LevelStore();
  const received = new Promise<Uint8Array>((resolve) => (levels.onReceived = resolve));
  const client = connect({ url: server.url("udp"), token: await server.token(), levels, spectate: true });
  const bytes = await received;
  client.close();
  return bytes;
}

/** A player that acts at random, and what its prediction did. */
class Player {
  readonly effects = new EffectLedger();
  readonly prediction: Prediction;
  compared = 0; // complete ticks at which the prediction was the mirror's
  differed = 0;
  matched = 0; // stones that the server has spawned too
  private readonly predicted = new Map<number, string>(); // own Pose by tick
  private reconciled = 0;

  constructor(
    readonly client: Client,
    private readonly random: () => number,
    rules: Rules,
  ) {
    this.prediction = predict(client, { rules });
    this.prediction.onSpawn(({ kind }) => (this.matched += kind === "matched" ? 1 : 0));
    const { onUpdate } = client;
    client.onUpdate = (now) => {
      onUpdate!(now);
      this.effects.follow(this.prediction.effects.notices);
      this.compare();
    };
  }

  /** Compares the own avatar's words of each complete tick with those of the mirror. */
  private compare(): void {
    const { client, prediction } = this;
    const pose = prediction.value(client.player, "Pose");
    if (pose !== null) this.predicted.set(prediction.tick, JSON.stringify(pose));
    if (prediction.reconciledTick === this.reconciled) return;
    this.reconciled = prediction.reconciledTick;
    const own = this.predicted.get(this.reconciled);
    if (own === undefined || client.tick !== this.reconciled) return;
    if (own === JSON.stringify(client.get(client.player, "Pose"))) ++this.compared;
    else ++this.differed;
  }

  private act(): void {
    const side = (): number => 1.4 * this.random() - 0.7;
    const choice = this.random();
    if (choice < 0.4) this.client.send(encode(Move, { x: side(), z: side() }));
    else if (choice < 0.6) this.client.send(encode(WalkTo, { x: 60 * side(), z: 60 * side() }));
    else if (choice < 0.9) this.client.send(encode(Throw, { x: side(), y: 0.5 * this.random(), z: side() }));
    else this.client.send(encode(Tag, { x: side(), z: side() }));
  }

  /** Plays for a time, and on until it is enough: a busy machine takes longer. */
  async play(ms: number, isEnough = (): boolean => true): Promise<void> {
    const begin = performance.now();
    for (let time = 0; time < ms || (!isEnough() && time < 60_000); time = performance.now() - begin) {
      this.act();
      await sleep(60 + 100 * this.random());
    }
    this.client.send(encode(Move, {}));
    await until("no effect runs", () => this.effects.running() === 0 || this.client.end !== null);
  }

  check(): void {
    const { statistics, lastMisprediction: last, failure } = this.prediction;
    assert.equal(failure, null);
    assert.equal(this.client.end, null, this.client.end?.text);
    assert.equal(statistics.mispredictions.remote, 0, last === null ? "" : describe(last));
    assert.equal(this.effects.faults, 0);
    assert.equal(this.client.statistics.mismatchedTicks, 0);
    const { mispredictions, ticks, rollbacks, stalls } = statistics;
    console.log(
      JSON.stringify({ compared: this.compared, differed: this.differed, mispredictions, ticks, rollbacks, stalls }),
    );
  }
}

async function join(
  t: TestContext,
  more: Partial<ConnectOptions> = {},
  path?: Path,
  rules: Rules = demoRules,
): Promise<Player> {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const random = randomOf(seed);
  const levels = new LevelStore();
  levels.add(level!);
  const all = { url: server.url("udp"), token: await server.token(), levels, ...more };
  const client = path === undefined ? connect(all) : new AnyClient(all, { "udp:": slowPipe(openUdp, path, random)! });
  t.after(() => client.close());
  const player = new Player(client, random, rules);
  await until("it predicts", () => player.prediction.predicted(client.player) || client.end !== null);
  return player;
}

test("LivePrediction.IsTheServersWithoutLoss", options, async (t) => {
  const player = await join(t);
  await sleep(2000); // the clock settles
  const { late } = player.prediction.statistics.mispredictions;
  const isEnough = (): boolean => player.compared > 200 && player.effects.confirmed > 5 && player.matched > 5;
  await player.play(8000, isEnough);
  player.check();
  assert.ok(isEnough());
  assert.equal(player.differed, late === player.prediction.statistics.mispredictions.late ? 0 : player.differed);
  assert.ok(player.client.connection.levels.at(player.prediction.tick)!.statics.length > 0);
  const metrics = await (await fetch(`${server.admin}/metrics`)).text();
  assert.ok(Number(/mobula_client_predicted_ticks_total\S* ([0-9]+)/.exec(metrics)![1]) > 100, "it has reported");
});

test("LivePrediction.LateCommandsExplainWhatDiffers", options, async (t) => {
  const player = await join(t, {}, { latency: 60, jitter: 25, loss: 0.05 });
  const { statistics } = player.prediction;
  const isEnough = (): boolean => statistics.ticks > 400 && player.effects.confirmed > 5;
  await player.play(10_000, isEnough);
  player.check();
  assert.ok(isEnough());
});

test("LivePrediction.RulesInAModuleAreTheServers", { ...options, skip: !hasModules }, async (t) => {
  const rules = await loadModule("demo_rules");
  const player = await join(t, {}, { latency: 60, jitter: 25, loss: 0.05 }, rules);
  await player.play(12_000);
  player.check();
  const { ticks, ticksReplayed } = player.prediction.statistics;
  assert.ok(ticks > 400 && player.effects.confirmed > 5 && player.matched > 5);
  t.diagnostic(JSON.stringify({ ...rules.statistics, ticks, ticksReplayed }));
  assert.equal(rules.statistics.failures, 0);
});

test("LivePrediction.ContinuesAfterARejoin", options, async (t) => {
  const path = { latency: 20, jitter: 5, loss: 0 };
  const player = await join(t, {}, path);
  await player.play(2000);
  path.loss = 1;
  await until("it is lost", () => player.client.state === "reconnecting");
  path.loss = 0;
  await until("it plays", () => player.client.state === "playing");
  const { ticks } = player.prediction.statistics;
  await player.play(3000, () => player.prediction.statistics.ticks > ticks + 60);
  player.check();
  assert.equal(player.client.connection.mirrors, 1);
  assert.ok(player.prediction.statistics.ticks > ticks + 60);
  assert.ok(player.prediction.predicted(player.client.player));
});

test("LivePrediction.ReturnsAfterAMinuteWithoutUpdates", options, async (t) => {
  let paused = 0;
  const now = (): number => performance.now() + paused;
  const newToken = (): Promise<Uint8Array> => server.token();
  const player = await join(t, { now, newToken });
  await player.play(1500);
  paused = 60_000;
  await sleep(500);
  await until("it predicts", () => player.prediction.predicted(player.client.player) || player.client.end !== null);
  await player.play(3000);
  player.check();
  const { tick, reconciledTick } = player.prediction;
  assert.ok(tick - reconciledTick <= 32);
});

test("LivePrediction.FollowsAReloadOfTheLevel", options, async (t) => {
  const player = await join(t);
  const { levels } = player.client.connection;
  const present = (): string => toHex(levels.at(player.prediction.tick)?.identity ?? new Uint8Array(0));
  await player.play(2000);
  const former = present();
  server.reload(hamlet);
  await until("it has the level", () => present() !== former || player.client.end !== null);
  const { compared } = player;
  await player.play(5000, () => player.compared > compared + 100);
  player.check();
  assert.ok(player.compared > compared + 100);
});
