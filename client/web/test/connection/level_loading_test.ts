import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../src/connection/client.js";
import { LevelStore } from "../../src/connection/level_store.js";
import type { Work } from "../../src/core/work.js";
import { readLevelFile } from "../../src/resource/level_file.js";
import { fnv1a32 } from "../../src/core/fnv.js";
import {
  FakeNetwork,
  emptyDelta,
  fakeToken,
  levelMessage,
  namesMessage,
  rejoinTokensMessage,
  welcomeWith,
} from "../support/fake_server.js";
import { vectorOf } from "../support/flat_vectors.js";
import * as flat from "../../src/core/flat_writer.js";
import { levelOfParts } from "../support/level_builder.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

const schema = schemaOfPart({ size: 4, fields: [{ name: "x", base: type.uint, offset: 0 }] });
const values = Uint32Array.from({ length: 10_000 }, (_, i) => 7 * i);
const file = levelOfParts(schema, values);
const { identity } = readLevelFile(file);
const budget = 5;

/** Counts pieces of work. Each takes one unit of the clock. */
class CountingStore extends LevelStore {
  pieces = 0;

  override *load(...args: Parameters<LevelStore["load"]>): ReturnType<LevelStore["load"]> {
    return yield* this.count(super.load(...args));
  }

  override *addWork(...args: Parameters<LevelStore["addWork"]>): ReturnType<LevelStore["addWork"]> {
    return yield* this.count(super.addWork(...args));
  }

  private *count<T>(work: Work<T>): Work<T> {
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
      ++this.pieces;
      yield;
    }
  }
}

interface Joined {
  readonly network: FakeNetwork;
  readonly client: Client;
  readonly levels: CountingStore;
}

/** Joins a server whose answer to Hello is Welcome and these messages. */
async function join(...answer: Uint8Array[]): Promise<Joined> {
  const network = new FakeNetwork();
  const levels = new CountingStore();
  levels.add(file);
  levels.pieces = 0;
  network.onOpened = (server) => {
    const isFirst = network.opened === 1;
    server.answer.push(welcomeWith(schema, !isFirst, 20_000), ...(isFirst ? answer : []));
  };
  // A clock that moves by the work alone.
  const client = network.client({ levels, loadBudget: budget, clock: () => levels.pieces } as object);
  while (client.connection.state !== "playing") await network.run(client, 20);
  return { network, client, levels };
}

const isLoaded = (client: Client): boolean => client.connection.mirror !== null;
const hasName = (client: Client, name: string): boolean =>
  client.connection.mirror!.world.nameOf(fnv1a32(name)) === name;

const level = levelMessage(identity, values.length, 3);

test("LevelLoading.ASliceHasNoMoreWorkThanItsBudget", async () => {
  const { network, client, levels } = await join(level);
  let slices = 0;
  for (let before = levels.pieces; !isLoaded(client) && client.end === null; before = levels.pieces, ++slices) {
    await network.run(client, 20);
    assert.ok(levels.pieces - before <= budget, `${levels.pieces - before} pieces in a slice`);
  }
  assert.ok(slices > 50, `${slices} slices`);
  const column = client.column("Part", "x")!;
  assert.deepEqual([...client.indices("Part")].slice(0, 3), [0, 1, 2]);
  assert.deepEqual(Uint32Array.from(column as Uint32Array), values);
});

test("LevelLoading.NothingIsShownBeforeAllIs", async () => {
  const { network, client } = await join(level);
  const spawned: number[] = [];
  client.onSpawn("Part", (entity) => void spawned.push(Number(entity & 0xffff_ffffn)));
  while (!isLoaded(client) && client.end === null) {
    assert.deepEqual([spawned.length, client.entities().length, client.column("Part", "x")], [0, 0, null]);
    await network.run(client, 20);
  }
  await network.run(client, 20);
  assert.equal(spawned.length, values.length);
});

test("LevelLoading.MessagesAndDeltasWaitInTheirOrder", async () => {
  const { network, client } = await join(level, namesMessage(vectorOf([flat.text("Later")])));
  const { session } = network.server;
  for (let sequence = 1; sequence <= 5; ++sequence) session.sendUnreliable(emptyDelta(sequence, 3 + sequence));
  await network.run(client, 200);
  assert.ok(!isLoaded(client));
  assert.equal(client.statistics.deltas, 0);
  assert.equal(client.connection.acknowledgement(), 0);
  while (!isLoaded(client) && client.end === null) await network.run(client, 20);
  await network.run(client, 100);
  assert.deepEqual([client.statistics.deltas, client.tick, client.end], [5, 8, null]);
  assert.ok(hasName(client, "Later"));
  assert.ok(client.connection.acknowledgement() > 0);
});

test("LevelLoading.ALostConnectionKeepsWhatWaits", async () => {
  const tokens = rejoinTokensMessage(60, fakeToken(), fakeToken());
  const { network, client } = await join(tokens, level, namesMessage(vectorOf([flat.text("Later")])));
  await network.run(client, 100);
  network.server.session.sendReliable(namesMessage(vectorOf([flat.text("Last")])));
  await network.run(client, 100);
  assert.ok(!isLoaded(client));
  network.cut();
  while (!isLoaded(client) && client.end === null) await network.run(client, 20);
  await network.run(client, 1000);
  assert.deepEqual([client.state, client.connection.mirrors, network.opened], ["playing", 1, 2]);
  assert.equal(client.entities("Part").length, values.length);
  assert.ok(hasName(client, "Later") && hasName(client, "Last"));
});

test("LevelLoading.ABadLevelEndsTheSession", async () => {
  const { network, client } = await join(levelMessage(identity, values.length - 1, 3));
  await network.run(client, 1000);
  assert.equal(client.end?.refusal, "other level");
});

test("LevelStore.AReceivedLevelIsReadInSlices", () => {
  const levels = new CountingStore();
  const work = levels.addWork(file);
  let pieces = 0;
  while (work.next().done !== true) ++pieces;
  assert.ok(pieces > file.length / 65_536, `${pieces} pieces`);
  assert.equal(levels.all().length, 1);
});
