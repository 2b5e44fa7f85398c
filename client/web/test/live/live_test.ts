import assert from "node:assert/strict";
import { type TestContext, after, before, test } from "node:test";
import { Move, WalkTo } from "../../demo/demo_commands.js";
import { Event } from "../../demo/demo_events.js";
import type { Client, ConnectOptions } from "../../src/connection/client.js";
import { connect as connectInBrowser } from "../../src/client.js";
import { decode, encode } from "../../src/messages.js";
import { Client as AnyClient, LevelStore, connect } from "../../src/node.js";
import { openUdp } from "../../src/pipe/udp.js";
import type { Pipe } from "../../src/pipe/pipe.js";
import { DemoServer, hasPrograms, sleep, until } from "../support/demo_server.js";

const server = new DemoServer();
const options = { skip: hasPrograms ? false : "PROGRAMS names no programs", timeout: 120_000 };

before(async () => {
  if (hasPrograms) await server.start();
});
after(async () => {
  await server.remove();
});

/** Joins the server. The client is closed when the test ends. */
async function join(t: TestContext, scheme: string, more: Partial<ConnectOptions> = {}): Promise<Client> {
  const client = connect({ url: server.url(scheme), token: await server.token(), ...more });
  t.after(() => client.close());
  return client;
}

/** Ends with the client closed and all its hashes right. */
async function check(client: Client, verified: number): Promise<void> {
  await until(
    `${verified} ticks are verified`,
    () => client.statistics.verifiedTicks >= verified || client.end !== null,
  );
  assert.equal(client.end, null, client.end?.text);
  assert.equal(client.statistics.mismatchedTicks, 0);
  assert.equal(client.statistics.unreadableDeltas, 0);
  client.close();
}

for (const scheme of ["ws", "udp"]) {
  test(`Live.MirrorsAWorldOver_${scheme}`, options, async (t) => {
    const client = await join(t, scheme, { name: "web" });
    await until("it plays", () => client.state === "playing" && client.connection.isComplete());
    assert.ok(client.entities().length > 500);
    assert.ok(client.entities("Transform").length > 500);
    const column = client.column("Transform", "position.x")!;
    const [entity] = client.entities("Transform");
    assert.equal(column[0], (client.get(entity!, "Transform") as any).position.x);
    await check(client, 200);
  });
}

test("Live.AMoveMovesTheAvatar", options, async (t) => {
  const client = await join(t, "ws");
  const x = (): number => (client.get(client.player, "Transform") as any)?.position.x ?? NaN;
  await until("the avatar is there", () => Number.isFinite(x()));
  const begin = x();
  client.send(encode(Move, { x: 1 }));
  await until("it has moved", () => x() > begin + 2);
  client.send(encode(Move, {}));
  const shown = client.sample(client.player, "Transform") as any;
  assert.ok(shown.position.x > begin && shown.position.x <= x() + 1);
  assert.equal(client.statistics.refusedCommands, 0);
  await check(client, 20);
});

test("Live.AnEventReportsAPickup", options, async (t) => {
  const client = await join(t, "udp");
  const kinds: string[] = [];
  client.onEvent = ({ bytes, presence }) => {
    kinds.push(decode(Event, bytes).body.kind);
    assert.notEqual(presence, "unknown");
  };
  await until("the avatar is there", () => client.has(client.player));
  // Other tests may have taken some of the coins.
  for (const [x, z] of [
    [0, 6],
    [0, -6],
    [-6, 0],
    [6, 0],
  ] as const) {
    client.send(encode(WalkTo, { x, z }));
    await sleep(3000);
    if (kinds.length > 0) break;
  }
  assert.equal(kinds[0], "PickupTaken");
  await check(client, 20);
});

test("Live.ALevelIsKeptForTheNextSession", options, async (t) => {
  const levels = new LevelStore();
  const kept: Uint8Array[] = [];
  levels.onReceived = (bytes) => void kept.push(bytes);
  const first = await join(t, "ws", { levels });
  await until("the level is received", () => kept.length === 1 || first.end !== null);
  // Rules need its static data at once. Its entities are of use for the next session.
  assert.ok(first.connection.levels.at(0)!.statics.length > 0);
  assert.equal(first.connection.mirror!.state.level, null);
  await check(first, 20);
  const again = new LevelStore();
  again.add(kept[0]!);
  const second = await join(t, "ws", { levels: again });
  await until("it plays", () => second.connection.isComplete());
  const { level } = second.connection.mirror!.state;
  assert.ok(level !== null && level.here.reduce((sum, each) => sum + each, 0) > 200);
  await check(second, 100);
  assert.ok(second.statistics.bytesReceived < first.statistics.bytesReceived);
});

test("Live.ALostConnectionIsResumed", options, async (t) => {
  let events: { onClosed(why: string): void } | null = null;
  let pipes = 0;
  const open = (...args: Parameters<typeof openUdp>): Pipe => {
    ++pipes;
    events = args[2];
    return openUdp(...args);
  };
  const client = new AnyClient({ url: server.url("udp"), token: await server.token() }, { "udp:": open });
  t.after(() => client.close());
  await until("it can resume", () => client.has(client.player) && client.statistics.verifiedTicks > 30);
  await until("it has tokens", () => client.connection.rejoinTokens.has(performance.now()));
  const { player } = client;
  events!.onClosed("cut by the test");
  await until("it is back", () => client.statistics.rejoins === 1 && client.state === "playing");
  assert.equal(pipes, 2);
  assert.equal(client.connection.mirrors, 1);
  const { verifiedTicks } = client.statistics;
  await until("it verifies again", () => client.statistics.verifiedTicks > verifiedTicks + 60);
  assert.equal(client.player, player);
  await check(client, 1);
});

test("Live.WatchesCallBackByComponent", options, async (t) => {
  const client = await join(t, "ws");
  const present = new Set<bigint>();
  let changes = 0;
  client.onSpawn("Avatar", (entity) => void present.add(entity));
  client.onDespawn("Avatar", (entity) => void present.delete(entity));
  client.onChange("Transform", () => void ++changes);
  await until("it sees itself", () => client.player !== 0n && present.has(client.player));
  const other = await join(t, "ws");
  await until("the other is seen", () => other.player !== 0n && present.has(other.player));
  const { player } = other;
  other.close();
  await until("the other has despawned", () => !present.has(player));
  assert.ok(changes > 100);
  await check(client, 20);
});

// Node 20 has the WebSocket of browsers behind a flag, which run.sh gives.
const inBrowsers = typeof WebSocket === "undefined" ? { ...options, skip: "no WebSocket as in browsers" } : options;
test("Live.MirrorsAWorldOverTheWebSocketOfBrowsers", inBrowsers, async (t) => {
  const client = connectInBrowser({ url: server.url("ws"), token: await server.token() });
  t.after(() => client.close());
  await until("it plays", () => client.state === "playing" && client.connection.isComplete());
  assert.throws(() => connectInBrowser({ url: server.url("udp"), token: new Uint8Array(2048) }), {
    reason: "bad address",
  });
  await check(client, 60);
});

/** Damages the newest state of some entities, as a fault of this client would. */
function tamper(client: Client): bigint[] {
  const { mirror } = client.connection;
  const damaged: bigint[] = [];
  for (const known of mirror!.state.known) {
    const { generation, index, lost, shown, versions, prototype } = known;
    const which = prototype.pools.findIndex((pool) => pool.name === "Transform");
    if (generation === 0 || lost || !shown || which < 0 || damaged.length === 5) continue;
    versions.states[versions.wordsAt(versions.count - 1) + prototype.layout.rows[which]!.first]! ^= 64;
    (mirror as unknown as { rehash(of: typeof known): void }).rehash(known);
    damaged.push((BigInt(generation) << 32n) | BigInt(index));
  }
  return damaged;
}

test("Live.AWrongMirrorIsCorrected", options, async (t) => {
  const client = await join(t, "udp");
  await until("it plays", () => client.statistics.verifiedTicks > 30);
  assert.equal(tamper(client).length, 5);
  await until("the fault is noticed", () => client.statistics.mismatchedTicks > 0);
  await until("it is corrected", () => client.statistics.corrections >= 5);
  const { verifiedTicks } = client.statistics;
  await until("all is right again", () => client.statistics.verifiedTicks > verifiedTicks + 60 || client.end !== null);
  const { mismatchedTicks } = client.statistics;
  await until("it stays right", () => client.statistics.verifiedTicks > verifiedTicks + 120 || client.end !== null);
  assert.equal(client.statistics.mismatchedTicks, mismatchedTicks);
  assert.equal(client.end, null, client.end?.text);
});

test("Live.AMissingEntityComesBack", options, async (t) => {
  const client = await join(t, "ws");
  await until("it plays", () => client.statistics.verifiedTicks > 60 && client.connection.isComplete());
  const mirror = client.connection.mirror!;
  const { id, index, generation, versions } = mirror.state.known.find((known) => known.shown && !known.owner)!;
  assert.ok(mirror.drop(false, id, index, generation, versions.newestTick()));
  assert.ok(!mirror.world.has(index, generation));
  await until("the fault is noticed", () => client.statistics.mismatchedTicks > 0);
  await until("the entity is back", () => mirror.world.has(index, generation) || client.end !== null);
  assert.equal(client.end, null, client.end?.text);
});
