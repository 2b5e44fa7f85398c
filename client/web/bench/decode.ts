// Time and memory to decode 1,000 entities that move, in Node and in a headless Chromium:
// PROGRAMS=build/release/bin node --expose-gc build/web/bench/decode.js [TICKS] [crowd|swarm]
// The entities of the crowd follow courses, so most of them are in no delta. All of the swarm are in each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { PageBrowser, chromium } from "../test/support/page_browser.js";
import { DemoServer, runClient } from "../test/support/demo_server.js";
import { root } from "../test/support/repository.js";
import { type Measured, meanOf, replay, textOf } from "./replay.js";

const [ticks = "2400", workload = "crowd"] = process.argv.slice(2);
const ticksPerSecond = workload === "crowd" ? 240 : 60;

/** Returns a level of 1,000 entities that fly around a circle, whose direction changes by 0.25 in each tick. */
function swarm(): string {
  const [count, radius, step, corners] = [1000, 2, 0.5, 8]; // the step in metres per tick
  const angles = Array.from({ length: corners }, (_, i) => (2 * Math.PI * i) / corners);
  const points = angles.map((angle) => [radius * Math.cos(angle), 3, radius * Math.sin(angle)]);
  const patrol = { points, speed: step * ticksPerSecond };
  const entity = (_: unknown, i: number): [string, object] => [
    `flier_${i}`,
    { prefab: "flier", components: { Patrol: { walked: (i * 2 * Math.PI * radius) / count } } },
  ];
  return JSON.stringify({
    include: [join(root, "server/examples/demo/level/prefabs.json")],
    prefabs: { flier: { prefab: "thing", components: { Patrol: patrol } } },
    entities: Object.fromEntries(Array.from({ length: count }, entity)),
    placements: [{ name: "start", prefab: "spawn_point", at: [[0, 0, 0]] }],
  });
}

/** Returns the path of the workload's level. */
function levelOf(server: DemoServer): string {
  if (workload === "crowd") return "tests/client/csharp/crowd.json";
  const path = server.file("swarm.json");
  writeFileSync(path, swarm());
  return path;
}

/** Returns a recording of the C++ client in a world in which 1,000 entities move. */
async function record(): Promise<Uint8Array> {
  const server = new DemoServer();
  try {
    await server.start({ level: levelOf(server), ticks: ticksPerSecond });
    const file = server.file("session.rec");
    const access = ["--connect", server.url("udp"), "--admin", server.admin];
    await runClient(...access, "--record", file, "--ticks", ticks, "--json");
    return readFileSync(file);
  } finally {
    await server.remove();
  }
}

async function inChromium(file: Uint8Array): Promise<readonly Measured[]> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "build/web/bench/page.js")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  const browser = new PageBrowser(chromium, ["--enable-precise-memory-info"]);
  try {
    browser.add("/recording", file);
    const { rounds } = await browser.run<{ rounds: Measured[] }>(outputFiles[0]!.text);
    return rounds;
  } finally {
    await browser.remove();
  }
}

/** Returns the time that the C++ client takes for a recording, in ms per tick. */
async function inCpp(file: Uint8Array): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "mobula-web-"));
  try {
    const path = join(folder, "session.rec");
    writeFileSync(path, file);
    const begin = performance.now();
    const { ticks: replayed } = await runClient("--replay", path, "--json");
    return (performance.now() - begin) / replayed;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const file = await record();
console.log(`recording of ${(file.length / 2 ** 20).toFixed(1)} MiB`);
const cpp = await inCpp(file);
console.log(`C++: ${cpp.toFixed(3)} ms per tick, with the start of the program and all updates`);
const besideCpp = (measured: Measured): string => `${textOf(measured)}, ${(meanOf(measured.times) / cpp).toFixed(1)} times C++`;
for (let round = 0; round < 3; ++round) {
  const heapBytes = (): number => {
    gc!();
    return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  };
  console.log(`Node: ${besideCpp(replay(file, heapBytes))}`);
}
if (chromium.command !== null) for (const measured of await inChromium(file)) console.log(`Chromium: ${besideCpp(measured)}`);
