// Time and garbage of a prediction: node --max-semi-space-size=128 build/web/bench/predict.js
// One avatar of the player's own and 20 crates are predicted on the tests' court, 100 ms away from the server. In the steady
// state each update steps a third of a tick; with corrections it also returns to a tick and computes 7 again.
import { Prediction } from "../src/prediction/prediction.js";
import { Court, type Guest } from "../test/support/court.js";
import { courtWalk } from "../test/support/court_rules.js";
import { randomOf } from "../test/support/random.js";

const crates = 20;
const warm = 2000; // ticks
const measured = 2000;

interface Cost {
  time: number; // ms
  bytes: number;
  updates: number;
}

/** Measures the updates of a guest's prediction; those that do nothing if `isEmpty`. */
function measure({ prediction }: Guest, isEmpty: boolean): Cost {
  const cost = { time: 0, bytes: 0, updates: 0 };
  const update = isEmpty ? () => {} : Prediction.prototype.update.bind(prediction);
  prediction.update = (now) => {
    const before = process.memoryUsage().heapUsed;
    const begin = performance.now();
    update(now);
    cost.time += performance.now() - begin;
    const bytes = process.memoryUsage().heapUsed - before;
    if (bytes >= 0) cost.bytes += bytes; // else garbage was collected meanwhile
    ++cost.updates;
  };
  return cost;
}

function run(name: string, jolt: boolean): void {
  const court = new Court(crates, { latency: 6, jitter: 0, loss: 0, incomplete: 0 }, randomOf(1));
  const guest = court.joinSettled();
  for (const crate of court.crates) guest.prediction.setPredicted(crate, true);
  const act = (ticks: number): void => {
    for (let i = 0; i < ticks; ++i) {
      guest.send(courtWalk(i % 20 < 10 ? 1 : -1, 0.1));
      if (jolt) court.disturb = () => (court.body(court.crates[i % crates]!).velocity.x = 3);
      court.ticks(1);
    }
  };
  act(warm);
  const { ticks, ticksReplayed } = guest.prediction.statistics;
  const cost = measure(guest, false);
  act(measured);
  const { statistics } = guest.prediction;
  const own = measure(guest, true); // the garbage of measuring
  act(20);
  const bytes = cost.bytes / cost.updates - own.bytes / own.updates;
  const stepped = statistics.ticks - ticks + statistics.ticksReplayed - ticksReplayed;
  console.log(
    `${name}: ${((1000 * cost.time) / cost.updates).toFixed(1)} us and ${Math.round(bytes)} bytes per update, ` +
      `${((1000 * cost.time) / stepped).toFixed(1)} us per tick of ${stepped}, ` +
      `mispredictions ${JSON.stringify(statistics.mispredictions)}`,
  );
}

run("steady", false);
run("a correction per tick", true);
