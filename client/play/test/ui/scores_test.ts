// The list of players.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Player, listed } from "../../src/ui/scores.js";

const players = Array.from({ length: 12 }, (_, place) => ({ entity: BigInt(place + 1), score: 12 - place }) as unknown as Player);
const places = (own: number): number[] => listed(players, BigInt(own)).map(({ entity }) => Number(entity));

test("Scores.TheListHasTheBestAndOneself", () => {
  assert.deepEqual(places(3), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(places(8), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(places(11), [1, 2, 3, 4, 5, 6, 7, 11]);
  assert.deepEqual(places(99), [1, 2, 3, 4, 5, 6, 7]);
});

test("Scores.AShortListHasAll", () => {
  for (const count of [5, 8]) assert.equal(listed(players.slice(0, count), 99n).length, count);
});
