import assert from "node:assert/strict";
import { test } from "node:test";
import { sample } from "../../src/mirror/interpolation.js";
import type { Mirror } from "../../src/mirror/mirror.js";
import type { Pool } from "../../src/mirror/pool.js";
import { makeValues, writeColumn } from "../../src/mirror/values.js";
import { readText } from "../support/repository.js";
import { SessionReplay, type VectorFile } from "../support/session_replay.js";

const file: VectorFile = JSON.parse(readText("schema/session_vectors.json"));

function mirrorOf(name: string): Mirror {
  const session = file.sessions.find((each) => each.name === name)!;
  const replay = new SessionReplay(file, session);
  replay.connection.update(session.begin, () => {});
  for (const step of session.steps) {
    replay.play(step);
    replay.connection.mirror?.setViewTick(0);
  }
  return replay.connection.mirror!;
}

/** Returns the first number of a component's field in a state. */
function numberAt(pool: Pool, field: string, owner: boolean, words: Uint32Array, row: number, tick: number): number {
  const { layout } = pool.columns.find((column) => column.layout.field.path === field)!;
  const values = makeValues(layout.field, layout.size);
  writeColumn(layout, owner, words, row, tick, values, 0);
  return values[0] as number;
}

/** Calls back for each two successive states of bodies without a jump between them. */
function eachPair(
  mirror: Mirror,
  name: string,
  field: string,
  check: (x: (tick: number) => number, a: number, b: number, from: number, to: number) => void,
): number {
  const pool = mirror.world.findPool(name)!;
  let pairs = 0;
  for (const { generation, lost, shown, index, versions, prototype, owner } of mirror.state.known) {
    const which = prototype.pools.indexOf(pool);
    if (generation === 0 || lost || !shown || which < 0) continue;
    const { first } = prototype.layout.rows[which]!;
    const [head, tail] = field.split(".");
    const x = (tick: number): number => (sample(mirror, pool, index, generation, tick) as any)[head!][tail!];
    for (let i = 1; i < versions.count; ++i) {
      if (versions.isLost(i - 1)) continue;
      const at = (n: number): number =>
        numberAt(pool, field, owner, versions.states, versions.wordsAt(n) + first, versions.tick(n));
      check(x, at(i - 1), at(i), versions.tick(i - 1), versions.tick(i));
      ++pairs;
    }
  }
  return pairs;
}

test("Interpolation.ShowsStatesExactlyAndMovesEvenlyBetween", () => {
  const pairs = eachPair(mirrorOf("plain"), "Body", "position.x", (x, a, b, from, to) => {
    assert.equal(x(from), a);
    assert.equal(x(to), b);
    const begin = Math.max(from, to - 4);
    assert.equal(x((begin + to) / 2), Math.fround(a + (b - a) * 0.5));
    if (begin > from) assert.equal(x(begin - 0.5), a);
  });
  assert.ok(pairs > 10, `${pairs} pairs`);
});

test("Interpolation.FollowsCoursesBetweenTicks", () => {
  const mirror = mirrorOf("courses");
  const pairs = eachPair(mirror, "Ship", "position.x", (x, _a, b, _from, to) => {
    assert.equal(x(to), b);
    if (to + 1 <= mirror.tick) assert.equal(x(to + 0.5), Math.fround(x(to) + (x(to + 1) - x(to)) * 0.5));
  });
  assert.ok(pairs > 5, `${pairs} pairs`);
});
