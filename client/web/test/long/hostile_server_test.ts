// Recordings of hostile servers: the C++ client replays each, and both clients have one mirror, or both refuse the server.
// The inputs are those of tests/fuzz/fuzz_connection.cpp.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { u64 } from "../../src/core/bytes.js";
import { unforeseen } from "../../src/core/refusal.js";
import { hex64 } from "../../src/core/xxh3.js";
import { damagedInput } from "../support/damage.js";
import { demoSchemaBytes, hasDemoSchema } from "../support/demo_schema.js";
import { compileLevel, replay } from "../support/demo_server.js";
import { HostileServer } from "../support/hostile_server.js";
import { newSeed, randomOf } from "../support/random.js";
import { root } from "../support/repository.js";

const options = { skip: hasDemoSchema ? false : "PROGRAMS names no programs", timeout: 120_000 };
const rounds = 20;
const corpus = join(root, "tests/fuzz/corpus/connection");
const hamlet = "tests/server/levels/hamlet.json"; // the level of the inputs
const levelHeaderBytes = 48;
// Refusals of damaged inputs by the C++ client alone; these recordings are not compared. The client of TypeScript reads those
// fields of a message that it needs, and verifies no others. Values of corrections are for people to read, and do not change its
// mirror. It has no registry that gives a level's entities their handles, and takes those that the server names.
const refusedByOneAlone = /not a verified FlatBuffers Message|malformed correction|a level is the first that a world spawns/;

const read = (path: string): Uint8Array => new Uint8Array(readFileSync(path));

/** A client at the end of a recording. */
interface Outcome {
  readonly isRefused: boolean; // it has ended the session, because of what the server sent
  readonly ticks: number;
  readonly entities: number;
  readonly mismatched: number;
  readonly hash: string;
}

/** Lets a server send what an input describes. Returns the outcome, and the recording. */
function play(input: Uint8Array, level: Uint8Array | null): { outcome: Outcome; text: string; file: Uint8Array } {
  const server = new HostileServer(demoSchemaBytes(), level);
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

/** Compares the outcomes of both clients, which have `level`. `seed` is that of the damage. Returns the outcome of TypeScript. */
async function compare(input: Uint8Array, level: Uint8Array | null, path: string, seed: number | null): Promise<Outcome> {
  const { outcome, text, file } = play(input, level);
  const where = seed === null ? "not damaged" : `seed ${seed}`;
  assert.ok(!text.startsWith(unforeseen), `${where}: ${text}`);
  writeFileSync(path, file);
  const { report, log } = await replay(path);
  if (seed !== null && refusedByOneAlone.test(log)) return outcome;
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

/** Returns the clients' part of the hamlet. */
function hamletIn(folder: string): Uint8Array {
  const path = join(folder, "hamlet.level");
  compileLevel(hamlet, path);
  const file = read(path);
  return file.slice(0, levelHeaderBytes + u64(file, 8));
}

/** Compares an input, and damaged copies of it. Returns the outcome of the former. */
async function compareInput(t: TestContext, name: string, hasLevel = false): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "mobula-web-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "session.rec");
  const level = hasLevel ? hamletIn(folder) : null;
  const input = read(join(corpus, name));
  for (let round = 0; round < rounds; ++round) {
    const seed = newSeed();
    await compare(damagedInput(input, randomOf(seed)), level, path, seed);
  }
  return compare(input, level, path, null);
}

/** Fails if a client has not played on to the end of an input. */
function checkPlayed({ isRefused, ticks, entities }: Outcome): void {
  assert.ok(!isRefused, "the server is refused; make-fuzz-seeds renews inputs whose level has changed");
  assert.ok(ticks > 10 && entities > 100, `${ticks} ticks, ${entities} entities`);
}

test("HostileServer.LeadsBothClientsToOneStateWithoutALevel", options, async (t) => {
  checkPlayed(await compareInput(t, "without_level"));
});

test("HostileServer.LeadsBothClientsToOneStateWithALevel", options, async (t) => {
  checkPlayed(await compareInput(t, "receives_level"));
});

test("HostileServer.LeadsBothClientsToOneStateOfAKeptLevel", options, async (t) => {
  checkPlayed(await compareInput(t, "has_level", true));
});

test("HostileServer.LeadsBothClientsToOneStateOfAReloadedLevel", options, async (t) => {
  checkPlayed(await compareInput(t, "level_is_reloaded", true));
});

test("HostileServer.IsLeftByBothClientsAtALevelTheyDidNotName", options, async (t) => {
  for (const name of ["has_level", "level_is_reloaded"]) assert.ok((await compareInput(t, name)).isRefused);
});

// Its server sends the same as that of "receives_level". The first byte chooses the store of the C++ client in the fuzz
// target. Here stores are memory in TypeScript and a folder in C++.
test("HostileServer.SendsAStoreInMemoryTheSame", () => {
  const [folder, memory] = ["receives_level", "receives_level_in_memory"].map((name) => read(join(corpus, name)).slice(1));
  assert.deepEqual(memory, folder);
});

test("HostileServer.PlaysEachInputOfTheCorpus", () => {
  const played = ["has_level", "level_is_reloaded", "receives_level", "receives_level_in_memory", "without_level"];
  assert.deepEqual(readdirSync(corpus).sort(), played);
});
