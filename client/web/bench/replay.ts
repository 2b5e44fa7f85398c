// Replays a recording, and measures the time and memory that a client takes. It runs in Node and in pages.
import { Connection } from "../src/connection/connection.js";
import { LevelStore } from "../src/connection/level_store.js";
import { readBegin, readRecording } from "../test/support/recording.js";

const heapInterval = 1000; // ticks

export interface Measured {
  readonly entities: number;
  readonly ticks: number;
  readonly mismatched: number;
  /** Changes of components that an update hands out, if any. It may be after several ticks. */
  readonly changes: number;
  readonly bytes: number; // received per tick
  /** ms by tick, with all of its datagrams, sorted. */
  readonly times: readonly number[];
  /** Bytes after garbage collection, each 1,000 ticks. */
  readonly heap: readonly number[];
}

/** `heapBytes` collects garbage and returns what remains. */
export function replay(file: Uint8Array, heapBytes: () => number): Measured {
  const [begin, ...entries] = readRecording(file);
  const { token, name, hasResources } = readBegin(begin!.body);
  const levels = hasResources ? { levels: new LevelStore() } : {};
  const connection = new Connection({ token, name, isReplay: true, ...levels }, 0);
  const times = new Float64Array(entries.length); // made at once, so that the heap shows the client alone
  let count = 0;
  const heap: number[] = [];
  let tick = 0;
  const changes: number[] = [];
  for (const { kind, now, body } of entries) {
    if (kind === "update" || kind === "update_full") {
      connection.update(now, () => {});
      const { count: changed } = connection.mirror?.changes.list ?? { count: 0 };
      if (changed > 0) changes.push(changed);
    }
    if (kind !== "datagram") continue;
    const start = performance.now();
    connection.receive(body, now);
    const time = performance.now() - start;
    const reached = connection.mirror?.tick ?? 0;
    if (reached !== tick || count === 0) ++count;
    times[count - 1]! += time;
    if (reached !== tick && count % heapInterval === 0) heap.push(heapBytes());
    tick = reached;
  }
  const { mirror, statistics } = connection;
  return {
    entities: mirror!.size,
    ticks: statistics.ticks,
    mismatched: statistics.mismatchedTicks,
    changes: meanOf(changes),
    bytes: statistics.bytesReceived / statistics.ticks,
    times: [...times.slice(20, count).sort()],
    heap,
  };
}

export const meanOf = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length;

export function textOf({ entities, ticks, mismatched, changes, bytes, times, heap }: Measured): string {
  const at = (part: number): string => times[Math.floor(times.length * part)]!.toFixed(3);
  const megabytes = heap.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(" ");
  return (
    `${entities} entities, ${ticks} ticks, ${mismatched} mismatched; ${changes.toFixed(0)} changes per update, ` +
    `${bytes.toFixed(0)} bytes per tick; ms per tick: p50 ${at(0.5)}, p90 ${at(0.9)}, ` +
    `p99 ${at(0.99)}, mean ${meanOf(times).toFixed(3)}${megabytes === "" ? "" : `; MiB after each 1000 ticks: ${megabytes}`}`
  );
}
