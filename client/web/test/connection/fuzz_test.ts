import assert from "node:assert/strict";
import { test } from "node:test";
import { unforeseen } from "../../src/connection/connection.js";
import { type VectorFile, SessionReplay } from "../support/session_replay.js";
import { newSeed, randomOf } from "../support/random.js";
import { readText } from "../support/repository.js";

const file: VectorFile = JSON.parse(readText("schema/session_vectors.json"));
const rounds = 12;

/** Damages some of the bodies that a session receives, as only the server itself could. */
function damage(replay: SessionReplay, random: () => number): void {
  const { endpoint } = replay.connection as unknown as {
    endpoint: { session: { receive(body: Uint8Array, now: number): void } };
  };
  const { session } = endpoint;
  const receive = session.receive.bind(session);
  session.receive = (body, now) => {
    const damaged = body.slice();
    for (let i = random() < 0.1 ? 1 + Math.floor(random() * 4) : 0; i > 0; --i)
      damaged[8 + Math.floor(random() * (damaged.length - 8))]! ^= 1 << Math.floor(random() * 8);
    receive(damaged, now);
  };
}

for (const session of file.sessions) {
  test(`Connection.SurvivesDamagedBodiesOf_${session.name}`, () => {
    for (let round = 0; round < rounds; ++round) {
      const seed = newSeed();
      const random = randomOf(seed);
      const replay = new SessionReplay(file, session);
      damage(replay, random);
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
