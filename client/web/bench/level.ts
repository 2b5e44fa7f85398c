// Longest task while a client loads a level of 10,000 entities: PROGRAMS=build/release/bin node build/web/bench/level.js
// The first session downloads the level, the second has it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, LevelStore } from "../src/node.js";
import { openNodeWebSocket } from "../src/pipe/node_web_socket.js";
import type { Pipes } from "../src/pipe/pipe.js";
import { DemoServer, sleep } from "../test/support/demo_server.js";
import { root } from "../test/support/repository.js";

const [count = "10000"] = process.argv.slice(2);
const level = {
  include: [join(root, "server/examples/demo/level/prefabs.json")],
  placements: [
    { name: "start", prefab: "spawn_point", at: [[0, 0, 0]] },
    { name: "pine", prefab: "pine", scatter: { count: Number(count), seed: 2, area: [-500, -500, 500, 500] } },
  ],
};

/** Joins the server, and prints the longest calls until the mirror is complete. */
async function measure(server: DemoServer, levels: LevelStore, what: string, loadBudget: number): Promise<void> {
  const longest = { receive: 0, update: 0 };
  const timed = (kind: keyof typeof longest, run: () => void): void => {
    const begin = performance.now();
    run();
    longest[kind] = Math.max(longest[kind], performance.now() - begin);
  };
  const open: Pipes[string] = (url, address, events) =>
    openNodeWebSocket(url, address, {
      ...events,
      onDatagram: (datagram) => timed("receive", () => events.onDatagram(datagram)),
    });
  const options = { url: server.url("ws"), token: await server.token(), levels, loadBudget, timer: false };
  const client = new Client(options, { "ws:": open });
  client.onSpawn("Transform", () => {});
  const begin = performance.now();
  while (client.end === null && !(client.connection.isComplete() && levels.all().length > 0)) {
    timed("update", () => client.update());
    await sleep(4);
  }
  const { receive, update } = longest;
  const loaded = client.connection.mirror?.state.level?.count ?? 0;
  console.log(
    `${what}, ${loadBudget} ms per update: ${client.entities().length} entities, ${loaded} of the level, after ` +
      `${(performance.now() - begin).toFixed(0)} ms; longest update ${update.toFixed(1)} ms, datagram ${receive.toFixed(1)} ms`,
  );
  client.close();
}

const server = new DemoServer();
try {
  writeFileSync(server.file("level.json"), JSON.stringify(level));
  await server.start({ level: server.file("level.json") });
  for (const budget of [1000, 8]) {
    const levels = new LevelStore();
    await measure(server, levels, "without the level", budget);
    for (let i = 0; i < 2; ++i) await measure(server, levels, "with the level", budget);
  }
} finally {
  await server.remove();
}
