import assert from "node:assert/strict";
import { test } from "node:test";
import { readText } from "../support/repository.js";
import { SessionReplay, type VectorFile, entitiesOf } from "../support/session_replay.js";

const file: VectorFile = JSON.parse(readText("schema/session_vectors.json"));

const withoutOwnerHash = (entity: any): unknown => ({
  ...entity,
  rows: entity.rows.map(({ owner_hash: _, ...row }: any) => row),
});

for (const session of file.sessions) {
  test(`SessionVectors.Replays_${session.name}`, () => {
    const replay = new SessionReplay(file, session);
    replay.run();
    assert.deepEqual(replay.levels(), session.levels);
    assert.deepEqual(replay.commands(), session.commands);
    assert.deepEqual(entitiesOf(replay.connection.mirror!), session.entities.map(withoutOwnerHash));
  });
}

test("SessionVectors.ThereAreTenSessions", () => assert.equal(file.sessions.length, 10));
