// Time to apply a delta of 1,000 entities that move: node build/web/bench/decode.js RECORDING
// The recording is made by the C++ client in a world in which they move, such as that of tests/client/csharp/crowd.json.
import { readFileSync } from "node:fs";
import { Connection } from "../src/connection/connection.js";
import { LevelStore } from "../src/connection/level_store.js";
import { readBegin, readRecording } from "../test/support/recording.js";

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: decode.js RECORDING");
const entries = readRecording(readFileSync(path));

function replay(): number[] {
  const { token, name, hasResources } = readBegin(entries[0]!.body);
  const connection = new Connection(
    { token, name, isReplay: true, ...(hasResources ? { levels: new LevelStore() } : {}) },
    0,
  );
  const times: number[] = []; // ms by tick, with all of its datagrams
  let tick = 0;
  for (const { kind, now, body } of entries.slice(1)) {
    if (kind === "update") connection.update(now, () => {});
    if (kind !== "datagram") continue;
    const begin = performance.now();
    connection.receive(body, now);
    const time = performance.now() - begin;
    const reached = connection.mirror?.tick ?? 0;
    if (reached > tick) times.push(time);
    else if (times.length > 0) times[times.length - 1]! += time;
    tick = reached;
  }
  const { mirror, statistics } = connection;
  console.log(`${mirror!.size} entities, ${statistics.deltas} deltas, ${statistics.mismatchedTicks} mismatched ticks`);
  return times;
}

for (let round = 0; round < 5; ++round) {
  const times = replay()
    .slice(20)
    .sort((a, b) => a - b);
  const at = (part: number): string => times[Math.floor(times.length * part)]!.toFixed(2);
  console.log(`ms per tick: p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}`);
}
