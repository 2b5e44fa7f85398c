// The slow network, on a clock of the test: delay, order, loss.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { PipeEvents } from "@mobula/client";
import { type Conditions, type Counts, Lane, slowed } from "../../src/session/slow_network.js";

/** Returns random numbers of a seed, which a failure prints. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Arrival {
  readonly number: number;
  readonly at: number;
}

/** Sends numbered datagrams, 10 ms apart, and returns when they arrive. */
function run(conditions: Conditions, seed: number, count = 300): { arrivals: Arrival[]; counts: Counts } {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const counts: Counts = { passed: 0, dropped: 0 };
  const arrivals: Arrival[] = [];
  const now = (): number => Date.now();
  const lane = new Lane(conditions, counts, (bytes) => arrivals.push({ number: bytes[0]! + 256 * bytes[1]!, at: now() }), randomOf(seed), now);
  for (let i = 0; i < count; ++i) {
    const bytes = Uint8Array.of(i & 255, i >> 8);
    lane.add(bytes);
    bytes.fill(255); // the caller may use its buffer again
    for (let ms = 0; ms < 10; ++ms) mock.timers.tick(1);
  }
  for (let ms = 0; ms < 2000; ++ms) mock.timers.tick(1);
  mock.timers.reset();
  return { arrivals, counts };
}

const seed = Math.floor(Math.random() * 2 ** 32);
const note = `seed ${seed}`;

test("SlowNetwork.PassesAtOnceWithoutConditions", () => {
  const { arrivals } = run({ latency: 0, jitter: 0, loss: 0 }, seed);
  assert.equal(arrivals.length, 300);
  for (const { number, at } of arrivals) assert.equal(at, 10 * number);
});

test("SlowNetwork.DelaysEachDirectionByHalfTheLatency", () => {
  const { arrivals } = run({ latency: 150, jitter: 0, loss: 0 }, seed);
  assert.equal(arrivals.length, 300);
  for (const { number, at } of arrivals) assert.equal(at - 10 * number, 75, note);
});

test("SlowNetwork.KeepsTheOrderUnderJitter", () => {
  const { arrivals } = run({ latency: 50, jitter: 200, loss: 0 }, seed);
  assert.deepEqual(arrivals.map(({ number }) => number), Array.from({ length: 300 }, (_, i) => i), note);
  const delays = arrivals.map(({ number, at }) => at - 10 * number);
  assert.ok(Math.min(...delays) >= 25 && Math.max(...delays) <= 127, note);
  assert.ok(Math.max(...delays) - Math.min(...delays) > 20, note);
});

test("SlowNetwork.DropsAboutThePartThatIsAskedFor", () => {
  const { arrivals, counts } = run({ latency: 0, jitter: 0, loss: 0.2 }, seed, 2000);
  assert.equal(counts.passed, arrivals.length);
  assert.equal(counts.passed + counts.dropped, 2000);
  assert.ok(counts.dropped > 300 && counts.dropped < 500, `${counts.dropped} dropped, ${note}`);
});

test("SlowNetwork.PassesNothingAfterItsEnd", () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  let passed = 0;
  const lane = new Lane({ latency: 100, jitter: 0, loss: 0 }, { passed: 0, dropped: 0 }, () => ++passed, Math.random, () => Date.now());
  lane.add(Uint8Array.of(1));
  lane.close();
  mock.timers.tick(1000);
  mock.timers.reset();
  assert.equal(passed, 0);
});

test("SlowNetwork.ClosingPassesOnWhatIsHeld", () => {
  const sent: number[] = [];
  let ends = 0;
  const open = slowed(
    () => ({ wasOpen: false, send: ([first]) => void sent.push(first!), close: () => void ++ends }),
    { latency: 500, jitter: 0, loss: 0 },
    { passed: 0, dropped: 0 },
  );
  const pipe = open(new URL("ws://server"), { host: "server", port: 1 }, {} as PipeEvents);
  pipe.send(Uint8Array.of(1));
  pipe.send(Uint8Array.of(2));
  assert.deepEqual(sent, []);
  assert.equal(pipe.wasOpen, false);
  pipe.close();
  assert.deepEqual([sent, ends], [[1, 2], 1]);
});
