// Predictions over sessions whose deltas are damaged as only the server itself could: whatever the mirror has then, each
// update ends, and without an error of this client.
import assert from "node:assert/strict";
import { test } from "node:test";
import { indexOf } from "../../src/core/entity.js";
import { Prediction } from "../../src/prediction/prediction.js";
import type { Rules } from "../../src/prediction/rules.js";
import { damage } from "../support/damage.js";
import { newSeed, randomOf } from "../support/random.js";
import { readText } from "../support/repository.js";
import { SessionReplay, type VectorFile } from "../support/session_replay.js";

const file: VectorFile = JSON.parse(readText("schema/session_vectors.json"));
const rounds = 8;

/** Rules that write, read, spawn and destroy whatever there is. */
const rules: Rules = {
  reads: ["Transform", "Body", "Parent", "Cuts"],
  step(world, tick, commands) {
    for (const command of commands) world.spawn(command, { Ship: {} });
    const rows: [bigint, Uint8Array][] = [];
    world.bytes.eachSteppedRow("Ship", (index, generation, bytes, at) =>
      rows.push([(BigInt(generation) << 32n) | BigInt(index), bytes.slice(at, at + 64)]),
    );
    for (const [entity, bytes] of rows) {
      bytes[0]! += tick;
      world.bytes.writeRow(entity, "Ship", bytes, 0);
      world.random(entity).below(3);
      if ((tick + indexOf(entity)) % 50 === 0) world.destroy(entity);
      else world.effect("turned", entity);
    }
    for (const name of rules.reads) world.eachVisible([name], (entity) => void world.get(entity, name));
  },
};

let ticks = 0;

for (const session of file.sessions)
  test(`PredictionFuzz.SurvivesDamagedBodiesOf_${session.name}`, () => {
    for (let round = 0; round < rounds; ++round) {
      const seed = newSeed();
      const random = randomOf(seed);
      const { connection, playAll } = replayOf(session, random, round > 0);
      const prediction = new Prediction(connection, rules);
      const update = connection.update.bind(connection);
      connection.update = (now, send) => {
        update(now, send);
        for (const index of connection.mirror?.world.findPool("Ship")?.indices ?? [])
          if (random() < 0.1)
            prediction.setPredicted(
              (BigInt(connection.mirror!.world.generationAt(index)) << 32n) | BigInt(index),
              random() < 0.8,
            );
        prediction.update(now);
        prediction.sample(prediction.spawns.locals[0]?.entity ?? 1n << 32n, "Ship");
      };
      try {
        playAll();
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
      assert.equal(prediction.failure, null, `seed ${seed}: ${prediction.failure?.message}`);
      ticks += prediction.statistics.ticks;
    }
  });

test("PredictionFuzz.HasPredicted", () => assert.ok(ticks > 1000, `${ticks} ticks`));

function replayOf(
  session: VectorFile["sessions"][number],
  random: () => number,
  isDamaged: boolean,
): { connection: SessionReplay["connection"]; playAll: () => void } {
  const replay = new SessionReplay(file, session);
  if (isDamaged) damage(replay.connection, random);
  return { connection: replay.connection, playAll: () => replay.playAll() };
}
