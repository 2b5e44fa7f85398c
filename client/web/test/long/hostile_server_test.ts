// Recordings of hostile servers: the C++ client replays each, and both clients have one mirror, or both refuse the server.
// Only C++ refuses messages that are not verified FlatBuffers; those are not compared.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { unforeseen } from "../../src/core/refusal.js";
import { hex64 } from "../../src/core/xxh3.js";
import { damagedInput } from "../support/damage.js";
import { demoSchemaBytes, hasDemoSchema } from "../support/demo_schema.js";
import { replay } from "../support/demo_server.js";
import { HostileServer } from "../support/hostile_server.js";
import { newSeed, randomOf } from "../support/random.js";
import { root } from "../support/repository.js";

const options = { skip: hasDemoSchema ? false : "PROGRAMS names no programs", timeout: 120_000 };
const rounds = 20;

/** A client at the end of a recording. */
interface Outcome {
  readonly isRefused: boolean; // it has ended the session, because of what the server sent
  readonly ticks: number;
  readonly entities: number;
  readonly mismatched: number;
  readonly hash: string;
}

/** Lets a server send what an input describes. Returns the outcome, and the recording. */
function play(input: Uint8Array): { outcome: Outcome; text: string; file: Uint8Array } {
  const server = new HostileServer(demoSchemaBytes());
  const file = server.play(input);
  const { statistics, mirror, end } = server.connection;
  const outcome = {
    isRefused: end?.reason === "protocol error",
    ticks: statistics.ticks,
    entities: mirror?.size ?? 0,
    mismatched: statistics.mismatchedTicks,
    hash: hex64(mirror?.hash.low ?? 0, mirror?.hash.high ?? 0),
  };
  return { outcome, text: end?.text ?? "", file };
}

/** Compares the outcomes of both clients. Returns that of TypeScript. */
async function compare(input: Uint8Array, path: string, where: string): Promise<Outcome> {
  const { outcome, text, file } = play(input);
  assert.ok(!text.startsWith(unforeseen), `${where}: ${text}`);
  writeFileSync(path, file);
  const { report, log } = await replay(path);
  // The client of TypeScript reads those fields of a message that it needs, and does not verify the others. So it may go
  // further, to its end or to something else that it refuses.
  if (log.includes("not a verified FlatBuffers Message")) return outcome;
  const expected = {
    isRefused: log.includes("closed: protocol error"),
    ticks: report.ticks,
    entities: report.entities,
    mismatched: report.mismatched_ticks,
    hash: report.state_hash,
  };
  assert.deepEqual(outcome, expected, `${where}: ${text}; ${log}`);
  return outcome;
}

/** Compares an input of tests/fuzz, and damaged copies of it. Returns the outcome of the former. */
async function compareInput(t: TestContext, name: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "mobula-web-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "session.rec");
  const input = new Uint8Array(readFileSync(join(root, "tests/fuzz/corpus/connection", name)));
  for (let round = 0; round < rounds; ++round) {
    const seed = newSeed();
    await compare(damagedInput(input, randomOf(seed)), path, `seed ${seed}`);
  }
  return compare(input, path, "not damaged");
}

test("HostileServer.LeadsBothClientsToOneStateWithoutALevel", options, async (t) => {
  const { isRefused, ticks, entities } = await compareInput(t, "without_level");
  assert.ok(!isRefused && ticks > 10 && entities > 100);
});

test("HostileServer.LeadsBothClientsToOneStateWithALevel", options, async (t) => {
  const { isRefused, ticks, entities } = await compareInput(t, "receives_level");
  assert.ok(!isRefused && ticks > 10 && entities > 100);
});

test("HostileServer.IsLeftByBothClientsAtALevelTheyDidNotName", options, async (t) => {
  const { isRefused } = await compareInput(t, "has_level");
  assert.ok(isRefused);
});
