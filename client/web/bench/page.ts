// The page of decode.ts.
import { type Measured, replay } from "./replay.js";

declare const gc: () => void;
declare const report: (value: unknown) => void;

interface MemoryPerformance extends Performance {
  readonly memory: { readonly usedJSHeapSize: number };
}

function heapBytes(): number {
  gc();
  return (performance as MemoryPerformance).memory.usedJSHeapSize;
}

const file = new Uint8Array(await (await fetch("/recording")).arrayBuffer());
const rounds: Measured[] = [];
for (let round = 0; round < 3; ++round) rounds.push(replay(file, heapBytes));
report({ rounds });
