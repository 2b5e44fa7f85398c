import assert from "node:assert/strict";
import { test } from "node:test";
import { unforeseen } from "../../src/core/refusal.js";
import { type VectorFile, SessionReplay } from "../support/session_replay.js";
import { damage } from "../support/damage.js";
import { newSeed, randomOf } from "../support/random.js";
import { readText } from "../support/repository.js";

const file: VectorFile = JSON.parse(readText("schema/session_vectors.json"));
const rounds = 12;

for (const session of file.sessions) {
  test(`Connection.SurvivesDamagedBodiesOf_${session.name}`, () => {
    for (let round = 0; round < rounds; ++round) {
      const seed = newSeed();
      const random = randomOf(seed);
      const replay = new SessionReplay(file, session);
      damage(replay.connection, random);
      try {
        replay.playAll();
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
      const text = replay.connection.end?.text ?? "";
      assert.ok(!text.startsWith(unforeseen), `seed ${seed}: ${text}`);
    }
  });
}
