// Recordings of the C++ client give the same mirror here: at each 40th tick, at the end, and by the hashes that the server sent.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { Connection } from "../../src/connection/connection.js";
import { unforeseen } from "../../src/core/refusal.js";
import { LevelStore } from "../../src/connection/level_store.js";
import { hex64 } from "../../src/core/xxh3.js";
import { damage } from "../support/damage.js";
import { DemoServer, hasPrograms, runClient } from "../support/demo_server.js";
import { newSeed, randomOf } from "../support/random.js";
import { type Recorded, readBegin, readRecording } from "../support/recording.js";

const options = { skip: hasPrograms ? false : "PROGRAMS names no programs", timeout: 120_000 };

interface Replayed {
  readonly connection: Connection;
  /** Hash of the mirror at the first update after each tick. */
  readonly hashes: Map<number, string>;
}

function play(connection: Connection, { kind, now, body }: Recorded): void {
  if (kind === "datagram") connection.receive(body, now);
  else if (kind === "update" || kind === "update_full") connection.update(now, () => {});
  else if (kind === "command") connection.setCommand(body);
  else if (kind === "pipe_closed") connection.pipeClosed(new TextDecoder().decode(body), now);
  else if (kind === "rejoin") connection.rejoin(now);
  else if (kind === "reconnect") connection.reconnect(body, now);
  else if (kind === "close") connection.close(() => {});
}

function connectionOf(begin: Recorded): Connection {
  const { token, name, hasResources } = readBegin(begin.body);
  const levels = hasResources ? { levels: new LevelStore() } : {};
  return new Connection({ token, name, isReplay: true, ...levels }, 0);
}

function replay(file: Uint8Array): Replayed {
  const [begin, ...entries] = readRecording(file);
  const connection = connectionOf(begin!);
  const hashes = new Map<number, string>();
  for (const entry of entries) {
    play(connection, entry);
    const { mirror } = connection;
    // The C++ client ends as soon as it has reached a tick: a late delta may still change the mirror at that tick.
    if (mirror !== null && mirror.tick > 0 && !hashes.has(mirror.tick))
      hashes.set(mirror.tick, hex64(mirror.hash.low, mirror.hash.high));
  }
  return { connection, hashes };
}

async function record(t: TestContext, ...more: string[]): Promise<{ server: DemoServer; file: string }> {
  const server = new DemoServer();
  t.after(() => server.remove());
  await server.start();
  const file = server.file("session.rec");
  await runClient(
    "--connect",
    server.url("udp"),
    "--admin",
    server.admin,
    "--record",
    file,
    "--ticks",
    "240",
    "--json",
    ...more,
  );
  return { server, file };
}

async function compare(file: string): Promise<void> {
  const { connection, hashes } = replay(readFileSync(file));
  const whole = await runClient("--replay", file, "--json");
  const { statistics, mirror } = connection;
  assert.deepEqual(
    [statistics.ticks, mirror!.size, statistics.verifiedTicks, statistics.mismatchedTicks, statistics.bytesReceived],
    [whole.ticks, whole.entities, whole.verified_ticks, 0, whole.bytes_received],
  );
  assert.equal(hex64(mirror!.hash.low, mirror!.hash.high), whole.state_hash);
  const ticks = [...hashes.keys()];
  assert.ok(ticks.length > 200);
  // The exit status states whether the mirror was verified, which takes a round trip.
  for (let i = 25; i < ticks.length; i += 40) {
    const { state_hash: expected } = await runClient("--replay", file, "--at", String(ticks[i]), "--json");
    assert.equal(hashes.get(ticks[i]!), expected, `tick ${ticks[i]}`);
  }
}

test("Recording.GivesTheHashesOfTheCppClient", options, async (t) => {
  const { file } = await record(t);
  await compare(file);
});

test("Recording.GivesTheHashesAlsoWithLosses", options, async (t) => {
  const { file } = await record(t, "--simulate", "latency=40ms jitter=20ms loss=8%");
  await compare(file);
});

test("Recording.DamagedOnesEndOrAreHarmless", options, async (t) => {
  const { file } = await record(t);
  const [begin, ...entries] = readRecording(readFileSync(file));
  const ends = new Map<string, number>();
  for (let round = 0; round < 60; ++round) {
    const seed = newSeed();
    const connection = connectionOf(begin!);
    damage(connection, randomOf(seed));
    try {
      for (const entry of entries) play(connection, entry);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
    const { reason = "none", refusal = reason, text = "" } = connection.end ?? {};
    assert.ok(!text.startsWith(unforeseen), `seed ${seed}: ${text}`);
    ends.set(refusal, (ends.get(refusal) ?? 0) + 1);
  }
  t.diagnostic(JSON.stringify([...ends]));
  assert.ok(ends.size > 1);
});
